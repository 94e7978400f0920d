"""Handing in: one system's trials in one file, checked by whoever takes them in."""
