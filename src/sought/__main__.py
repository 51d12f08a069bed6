"""`python -m sought`."""

from sought.cli import main

main()
