"""The command line: what a person types, sees and reads when something is wrong."""

import sys

import click

from sought.cli.commands import app
from sought.web.errors import SoughtError


def main() -> None:
    """Run a command; what a person can mend is one line on standard error and exit code 2."""
    try:
        code = app(standalone_mode=False)
    except SoughtError as error:
        _complain(str(error))
        code = 2
    except click.ClickException as error:
        _complain(error.format_message())
        code = 2
    except (click.Abort, KeyboardInterrupt):
        code = 130
    except BrokenPipeError:
        sys.stderr.close()
        code = 1
    sys.exit(code or 0)


def _complain(text: str) -> None:
    sys.stderr.write(f"sought: {' '.join(text.split())}\n")
