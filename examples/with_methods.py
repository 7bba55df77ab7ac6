"""Run the command line with anonymizers of your own beside those of the package, without changing the package.

    python examples/with_methods.py FOLDER COMMAND …

Each file in FOLDER is an anonymizer as CONTRIBUTING describes it. Whatever `allonym COMMAND …` can do with a method, it
does with these, too.
"""

from __future__ import annotations

import sys
from pathlib import Path

import allonym.anonymizers
from allonym.cli import main

if __name__ == "__main__":
    allonym.anonymizers.__path__.append(str(Path(sys.argv.pop(1)).resolve()))
    main()
