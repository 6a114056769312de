"""`python -m codemode` is the `codemode` command."""

from codemode.runtime.cli import main

main()
