"""The commands: one module each, found by looking; modules with a leading underscore are no commands.

A command module declares `PANEL` and `ORDER` (its place in `kb --help`) and either `run(common, ...) -> int`,
whose docstring is its help, or `COMMANDS`, a mapping of names to such functions. `kb.commands.search` has
`main(args)` instead, because it runs without typer.
"""
