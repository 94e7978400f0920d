"""Words, clauses, times and scripts: what every kind of evidence reads texts with."""
