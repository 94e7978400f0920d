"""What the calls of a trial came to, as columns of the trial."""

from lethe.gateway.context import Usage


def usage_columns(used: Usage) -> dict[str, int | float]:
    """Calls, tokens and cost by the names of the trial's columns."""
    return {
        "llm_calls": used.calls,
        "tokens_in": used.tokens_in,
        "tokens_out": used.tokens_out,
        "cost_usd": used.cost_usd,
    }
