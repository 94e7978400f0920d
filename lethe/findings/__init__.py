"""What was found, in sentences that follow from the rows of a finished run alone."""
