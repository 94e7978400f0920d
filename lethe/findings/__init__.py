"""What was found, in five lines that follow from the tables of a finished run alone."""
