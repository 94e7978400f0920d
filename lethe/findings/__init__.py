"""What was found, in five lines that follow from the rows of a finished run alone."""
