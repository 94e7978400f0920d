"""Chat models that decide mutations (the extra `llm`)."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from forgeteval.chat.llm import LLM

CHOSEN_MODULES = ("forgeteval.chat.llm",)
__all__ = ["LLM"]


def __getattr__(name: str) -> Any:
    """`LLM`, imported where it is asked for: what else is here serves runs that ask no model."""
    if name != "LLM":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from forgeteval.chat.llm import LLM

    return LLM
