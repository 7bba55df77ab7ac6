"""The command: it prints an address that works once, and ends cleanly."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import urllib.request

import pytest

from allonym import cli
from allonym.cli import serve
from tests.conftest import PATIENCE


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM])
def test_it_prints_an_address_and_ends_cleanly(end):
    command = [sys.executable, "-m", "allonym", "serve", "--no-browser", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        told = ""
        while not told.endswith("}\n"):
            told += process.stdout.readline()
        address = json.loads(told)["address"]
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/open#[0-9a-f]{64}", address)
        with urllib.request.urlopen(address.partition("/open")[0] + "/health", timeout=PATIENCE) as answer:
            assert json.load(answer) == {"status": "ready"}
        process.send_signal(end)
        _, talk = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0
    assert "nothing was saved" in talk
    assert "Traceback" not in talk
    assert address.partition("#")[2] not in talk


def test_a_taken_port_is_said(capsys):
    place = serve._server().listen()
    port = place.getsockname()[1]
    assert cli.run(["serve", "--no-browser", "--port", str(port)]) == cli.BAD_USE
    assert "choose another --port" in capsys.readouterr().err
    place.close()


def test_what_is_missing_is_said(monkeypatch, capsys):
    monkeypatch.setattr(serve, "find_spec", lambda _: None)
    assert cli.run(["serve"]) == cli.BAD_USE
    assert "pip install 'allonym[web]'" in capsys.readouterr().err


def test_the_token_is_on_no_command_line(monkeypatch):
    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    with serve._redirection("http://127.0.0.1:1/open#secret") as page:
        serve._open(page)
        assert page.stat().st_mode & 0o777 == 0o600
        assert page.parent.stat().st_mode & 0o777 == 0o700
        assert "#secret" in page.read_text("utf-8")
    assert "secret" not in opened[0]
    assert not page.exists()
