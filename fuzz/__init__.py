"""Coverage-guided fuzzing: one target a parser in `fuzz.targets`, run by `python -m fuzz` (`make fuzz`).

A target module declares `PARSES` (what it feeds, dotted names), `seeds()` (bytes to start from, made from the project's
own synthetic samples) and `one(data)`, which raises for anything but an answer or a `KbError` with a remedy. The suite
runs seeds, kept inputs (`fuzz/corpus/<target>`) and damaged copies of them without the fuzzer.
"""
