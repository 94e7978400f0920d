"""What texts say that a decision may rest on; nothing here knows of operations."""
