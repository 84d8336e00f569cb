"""The project's own profile samples: synthetic, computed from a few plain assumptions, the same bytes every time."""
