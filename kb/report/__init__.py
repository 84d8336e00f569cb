"""What people and tools see: views of a `Report`, pages of other commands, safe text."""
