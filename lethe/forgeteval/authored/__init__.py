"""The adversarial cases written for this project: one readable YAML file per attack category."""
