"""`python -m kb` is `kb`."""

from kb.cli import main

raise SystemExit(main())
