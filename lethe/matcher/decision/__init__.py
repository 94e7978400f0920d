"""What the matcher decides from the evidence: boosted trees over named columns."""
