"""Log rows of calls, and the error of a replay without an answer."""

from dataclasses import replace

from lethe.gateway.answers import Answer
from lethe.gateway.cache import LoggedCall
from lethe.gateway.context import CallContext
from lethe.gateway.errors import GatewayError
from lethe.gateway.models import ModelConfig
from lethe.gateway.requests import ChatRequest


def new_call(model: ModelConfig, request: ChatRequest, context: CallContext) -> LoggedCall:
    """The log row of a call that has no answer yet."""
    return LoggedCall(
        suite=context.suite,
        system=context.system,
        case_id=context.case_id,
        repetition=context.repetition,
        purpose=context.purpose,
        model=model.name,
        key=request.key,
        prompt_hash=request.prompt_hash,
    )


def with_answer(call: LoggedCall, answer: Answer, *, cache_hit: bool) -> LoggedCall:
    """The log row of a call with its answer."""
    return replace(
        call,
        tokens_in=answer.tokens_in,
        tokens_out=answer.tokens_out,
        cost_usd=answer.cost_usd,
        latency_ms=answer.latency_ms,
        attempts=0 if cache_hit else answer.attempts,
        cache_hit=cache_hit,
        finish_reason=answer.finish_reason,
    )


def replay_miss(context: CallContext) -> GatewayError:
    """The error for a request that replay cannot answer; it names the case."""
    return GatewayError(
        404,
        "replay_miss",
        f"replay: the cache has no answer for suite {context.suite!r}, system {context.system!r}, "
        f"case {context.case_id!r}, repetition {context.repetition}, purpose {context.purpose!r}; run with mode live",
    )
