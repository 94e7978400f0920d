"""Which part of a row is outdated, and what stays of it."""
