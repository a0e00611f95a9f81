"""Fabriscope from a checkout: opens the window; with a subcommand, works without one."""

from app.cli.start import main

if __name__ == "__main__":
    raise SystemExit(main())
