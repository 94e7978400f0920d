"""Words, clauses, times and scripts: what every family of rules reads texts with."""
