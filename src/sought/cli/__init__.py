"""The command line: what a person types, sees and reads when something is wrong."""

import sys
from functools import partial
from typing import Any

import typer

from sought.cli.commands import app
from sought.cli.options import without_controls
from sought.web.beside import place_of, told
from sought.web.errors import SoughtError

_EXTRAS = ("scipy", "sklearn", "matplotlib")  # what `pip install sought` leaves out
# ClickException.  Newer versions of typer carry a click of their own, so its name cannot be imported from click.
_UsageError: Any = typer.BadParameter.__mro__[2]


def main() -> None:
    """Run a command of Sought; `python -m sought` is called so, too."""
    run_app(app, "sought")


def run_app(app: typer.Typer, name: str) -> None:
    """Run a command; what a person can mend is one line on standard error and exit code 2."""
    complain = partial(_complain, name.split()[-1])
    try:
        code = app(prog_name=name, standalone_mode=False)
    except SoughtError as error:
        complain(str(error))
        code = 2
    except _UsageError as error:
        if type(error).__name__ == "NoArgsIsHelpError":
            sys.stderr.write(f"{error.format_message()}\n")
        else:
            complain(error.format_message())
        code = 2
    except ModuleNotFoundError as error:
        if error.name is None or error.name.split(".")[0] not in _EXTRAS:
            raise
        complain(f"this needs {error.name.split('.')[0]}: pip install 'sought[lab]'")
        code = 2
    except (typer.Abort, KeyboardInterrupt):
        code = 130
    except BrokenPipeError:
        sys.stderr.close()
        code = 1
    except OSError as error:
        complain(f"{error.filename or 'system'}: {error.strerror or error}")
        code = 2
    except Exception as error:
        if not place_of(error):  # a mistake of ours
            raise
        complain(told(error))
        code = 2
    sys.exit(code or 0)


def _complain(program: str, text: str) -> None:
    sys.stderr.write(f"{program}: {without_controls(' '.join(text.split()))}\n")
