"""Shell completion: what a real bash completes, and scripts for the others."""

from __future__ import annotations

import shutil
import subprocess
import sys

import pytest

# Asks the installed function as bash would, with the words of the line; `compopt` only works while bash completes.
ASK = """
compopt() { COMPREPLY+=("$*"); }
ask() {
    COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=()
    _allonym_completion allonym
    printf '%s\\n' "${COMPREPLY[@]}"
}
"""


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
def test_bash_completes_commands_options_choices_and_files(command, tmp_path):
    program = tmp_path / "allonym"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m allonym "$@"\n', "utf-8")
    program.chmod(0o755)
    script = command("completion", "bash").done().out

    def ask(*words):
        line = f"{script}\n{ASK}\nask {' '.join(words)}"
        environment = {"PATH": f"{tmp_path}:/usr/bin:/bin", "HOME": str(tmp_path)}
        done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, env=environment, check=True)
        assert done.stderr == ""
        return done.stdout.split("\n")[:-1]

    assert "anonymize" in ask("allonym", "an")
    assert "syntf" in ask("allonym", "anonymize", "--method", "synt")
    assert ask("allonym", "anonymize", "--dry") == ["--dry-run"]
    assert ask("allonym", "anonymize", "lett") == ["-o", "default"]  # files


@pytest.mark.parametrize("shell", ["bash", "fish", "zsh"])
def test_scripts_ask_the_command(command, shell):
    script = command("completion", shell).done().out
    assert f"completion {shell} --answer" in script
    assert "_ALLONYM_COMPLETE" not in script
    assert command("completion", shell, "--json").done().json["script"] == script.removesuffix("\n")


def test_another_shell_is_refused(command):
    command("completion", "tcsh").refused()


def test_the_answer_flag_is_not_shown(command):
    assert "--answer" not in command("completion", "--help").done().out
