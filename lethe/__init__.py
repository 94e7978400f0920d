"""ForgetEval, a benchmark of whether agent-memory stores can be told to forget, and the Lethe store."""

__version__ = "0.1.0"
