"""The engine: a profile goes in, a report comes out; its parts meet in `pipeline` alone."""
