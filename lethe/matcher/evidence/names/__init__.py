"""Persons, firms and things: which memories are about one, in any script."""
