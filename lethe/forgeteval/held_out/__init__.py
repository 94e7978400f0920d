"""The held-out cases: one readable YAML file per attack category, not read by those who develop the rules hook."""
