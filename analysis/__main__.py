"""``python -m analysis``: the command line."""

from analysis.cli import main

if __name__ == "__main__":
    main()
