"""`make run`: the first thing that a newcomer does must work."""

from __future__ import annotations

import runpy
from pathlib import Path

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "run.py"


def test_the_first_look_works(tmp_path, capsys):
    names = runpy.run_path(str(EXAMPLE))
    main = names["main"]
    main.__globals__["OUT"] = tmp_path / "out"
    main()
    said = capsys.readouterr().out
    assert "How recognisable is it?" in said
    assert list((tmp_path / "out").iterdir())
