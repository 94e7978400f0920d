"""The report for people: one HTML page of findings, systems, comparisons, trials, tables and figures."""
