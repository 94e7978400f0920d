"""Persons, firms and things: which rows are about one, in any script."""
