"""The paper's printed numbers beside those measured here."""
