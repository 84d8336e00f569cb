"""Everything that needs the extra `models`: sentence-transformers, torch. Nothing else in `kb` imports it."""
