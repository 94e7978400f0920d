"""Which row a new fact supersedes."""
