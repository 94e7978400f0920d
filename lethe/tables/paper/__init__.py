"""The nineteen tables of the paper, on the paper's cases, in its order."""
