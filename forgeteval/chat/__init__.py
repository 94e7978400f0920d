"""Chat models that decide mutations (the extra `llm`)."""

from forgeteval.chat.llm import LLM

__all__ = ["LLM"]
