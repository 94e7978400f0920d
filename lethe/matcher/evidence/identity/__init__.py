"""Typed identifiers and codes: which memories hold those of a request."""
