"""What people and tools see: views of a `Report`, pages of the other commands, safe text. Nothing is judged here."""
