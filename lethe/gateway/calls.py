"""Log rows of calls, and the error of a replay without an answer."""

from dataclasses import asdict, replace

from lethe.gateway.answers import Answer
from lethe.gateway.cache import LoggedCall
from lethe.gateway.context import CallContext
from lethe.gateway.errors import GatewayError
from lethe.gateway.models import ModelConfig
from lethe.gateway.requests import ChatRequest


def new_call(model: ModelConfig, request: ChatRequest, context: CallContext) -> LoggedCall:
    """The log row of a call that has no answer yet."""
    return LoggedCall(**asdict(context), model=model.name, key=request.key, prompt_hash=request.prompt_hash)


def with_answer(call: LoggedCall, answer: Answer, *, cache_hit: bool) -> LoggedCall:
    """The log row of a call with its answer."""
    fields = {name: value for name, value in asdict(answer).items() if name not in ("response", "keep")}
    return replace(call, **{**fields, "attempts": 0 if cache_hit else answer.attempts, "cache_hit": cache_hit})


def replay_miss(context: CallContext) -> GatewayError:
    """The error for a request that replay cannot answer; it names the case."""
    return GatewayError(
        404,
        "replay_miss",
        f"replay: the cache has no answer for suite {context.suite!r}, system {context.system!r}, "
        f"case {context.case_id!r}, repetition {context.repetition}, purpose {context.purpose!r}; run with mode live",
    )
