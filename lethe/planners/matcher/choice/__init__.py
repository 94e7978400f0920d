"""Which memory a new fact supersedes."""
