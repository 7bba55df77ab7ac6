"""`python -m allonym` is the `allonym` command."""

from allonym.cli import main

if __name__ == "__main__":
    main()
