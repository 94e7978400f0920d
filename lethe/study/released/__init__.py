"""What the paper's authors released beside the cases: verdicts case by case, and labels; compared with runs here."""
