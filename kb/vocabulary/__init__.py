"""Closed lists of ids, below knowledge and engine, so that both can name a metric or bottleneck without the other."""
