"""The report for people: one HTML page with every table and figure, and an explorer of every trial."""
