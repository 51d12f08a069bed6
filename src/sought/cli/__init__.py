"""The command line: `sought.cli.commands` has the commands, `main` runs one and reports its errors."""

import sys
from functools import partial
from typing import Any

import typer

from sought.cli.commands import app
from sought.cli.options import without_controls
from sought.web.errors import SoughtError
from sought.web.local_modules import error_line, error_location

_EXTRAS = ("scipy", "sklearn", "matplotlib")  # not installed by `pip install sought`
# ClickException.  Newer versions of typer bundle their own click, so it cannot be imported from click.
_UsageError: Any = typer.BadParameter.__mro__[2]


def main() -> None:
    """Run `sought`, also for `python -m sought`."""
    run_app(app, "sought")


def run_app(app: typer.Typer, name: str) -> None:
    """Run a command.  Errors that the user can fix become one line on standard error and exit code 2."""
    print_error = partial(_print_error, name.split()[-1])
    try:
        code = app(prog_name=name, standalone_mode=False)
    except SoughtError as error:
        print_error(str(error))
        code = 2
    except _UsageError as error:
        if type(error).__name__ == "NoArgsIsHelpError":
            sys.stderr.write(f"{error.format_message()}\n")
        else:
            print_error(error.format_message())
        code = 2
    except ModuleNotFoundError as error:
        if error.name is None or error.name.split(".")[0] not in _EXTRAS:
            raise
        print_error(f"this needs {error.name.split('.')[0]}: pip install 'sought[lab]'")
        code = 2
    except (typer.Abort, KeyboardInterrupt):
        code = 130
    except BrokenPipeError:
        sys.stderr.close()
        code = 1
    except OSError as error:
        print_error(f"{error.filename or 'system'}: {error.strerror or error}")
        code = 2
    except Exception as error:
        if not error_location(error):  # a mistake of ours
            raise
        print_error(error_line(error))
        code = 2
    sys.exit(code or 0)


def _print_error(program: str, text: str) -> None:
    sys.stderr.write(f"{program}: {without_controls(' '.join(text.split()))}\n")
