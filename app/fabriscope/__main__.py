"""The command line, as ``python -m fabriscope``."""

from app.cli.start import main

if __name__ == "__main__":
    raise SystemExit(main())
