"""Typed identifiers and codes: which rows hold those of a request."""
