"""The cases of the erasure audit: one memory to erase and one that has to survive it, each with a random marker."""
