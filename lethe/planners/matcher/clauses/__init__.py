"""Which part of a memory is outdated, and what stays of it."""
