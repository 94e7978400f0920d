"""Stage 2 for many cases: a judge model is asked about each of them through the gateway."""

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from forgeteval.cases.case import Case
from forgeteval.errors import UserError
from forgeteval.planners.llm.client import chat_client
from forgeteval.planners.protocol import PlannerUnavailable
from lethe.gateway.context import CallContext, Usage, call_headers
from lethe.jobs.services import chat_options, gateway_endpoint
from lethe.people.judging import CONTRACT, Judgement, judge_prompt, judge_record, parse_answer
from lethe.stored.answers import JUDGE
from lethe.stored.closing import usage_lines

if TYPE_CHECKING:
    from lethe.config.chat_models import ModelConfig
    from lethe.gateway.server import Gateway

Ask = Callable[[CallContext, str], str]
"""Maps (context of the call, prompt) to the text of the answer; raises PlannerUnavailable if there is none."""
Meter = Callable[[CallContext], Usage]
"""What the calls for a case came to so far."""

_PURPOSE = "judge"
_BLOCK = "```json\n"
_REPAIR = (
    "An earlier answer to this message could not be used: {wrong}. "
    "Answer again with the one JSON object described above, complete and with nothing around it.\n\n"
)
_NOT_THE_OBJECT = "it was not one JSON object with exactly the five fields"
_KEPT = "to ask again, delete its rows of `answers` in the cache (docs/models.md, Cache and log), then"
_CONTRADICTORY = '"admit" was not true exactly where all three conditions were true'


def judge_cases(
    cases: Sequence[Case], gateway: "Gateway", model: "ModelConfig", advance: Callable[[int], object]
) -> list[Judgement]:
    """The judgements on `cases`, in the same order.

    Args:
        gateway: a running gateway that has `model` under its name.
        advance: called with the number of further cases done.

    Raises:
        UserError: if the gateway says that the run must stop; the answers so far are in its cache.
    """
    ask = _asker(gateway, model)
    with ThreadPoolExecutor(model.concurrency, "judge") as pool:
        futures = [pool.submit(judge_case, case, model, ask, gateway.usage) for case in cases]
        try:
            for future in as_completed(futures):
                future.result()
                advance(1)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return [future.result() for future in futures]


def judge_case(case: Case, model: "ModelConfig", ask: Ask, used: Meter) -> Judgement:
    """The judgement on one case; after an answer without a verdict the judge is asked once more."""
    prompt, judge, context = judge_prompt(case), model.name, _context(case.suite, case.case_id)
    error = None
    try:
        text = ask(context, prompt)
        if judge_record(case, judge, text).verdict is None:
            wrong = _NOT_THE_OBJECT if parse_answer(text) is None else _CONTRADICTORY
            text = ask(replace(context, purpose=f"{_PURPOSE}_repair"), _repair_prompt(prompt, wrong))
    except PlannerUnavailable as unavailable:
        text, error = "", str(unavailable)
    record, answer, usage = judge_record(case, judge, text), parse_answer(text), used(context)
    return {
        "suite": case.suite,
        "case_id": case.case_id,
        "category": case.category,
        "provenance": case.provenance,
        "judge": judge,
        "family": model.family,
        "verdict": "error" if error is not None else record.verdict or "unusable",
        "must_contain_survive": answer.must_contain_survive if answer else None,
        "forbidden_absent": answer.forbidden_absent if answer else None,
        "answerable": answer.answerable if answer else None,
        "reason": None if error is not None else _one_line(record.reason),
        "prompt_hash": record.prompt_hash,
        "error": error and _one_line(error),
        "llm_calls": usage.calls,
        "tokens_in": usage.tokens_in,
        "tokens_out": usage.tokens_out,
        "cost_usd": usage.cost_usd,
        "answer_ms": usage.answer_ms,
    }


def judging_lines(path: Path, judgements: Sequence[Judgement], used: Meter, live: bool) -> Iterator[str]:
    """Lines on a file of judgements once it is there: cases without a verdict, and what was wrong with the answers.

    Args:
        live: whether the judge may be asked again.
    """
    of, again = f"of {len(judgements)} cases got", f"rm {path} and the same command"
    remedy, kept = (f"; to ask again: {again}", f"; {_KEPT} {again}") if live else ("", "")
    if errors := [row["error"] for row in judgements if row["verdict"] == "error"]:
        yield f"{path}: {len(errors)} {of} no answer, the first: {errors[0]}{remedy}"
    if unusable := sum(row["verdict"] == "unusable" for row in judgements):
        yield f"{path}: {unusable} {of} no answer that could be used, when asked once more either{kept}"
    usage = sum((used(_context(row["suite"], row["case_id"])) for row in judgements), Usage())
    yield from usage_lines(path, usage.unreported, usage.cut_off, live)


def _context(suite: str, case_id: str) -> CallContext:
    return CallContext(suite, JUDGE, case_id, 0, _PURPOSE)


def _repair_prompt(prompt: str, wrong: str) -> str:
    """The prompt with a remark on what was wrong, placed before its final block (the case, which contains no fence)."""
    instructions, opening, block = prompt.rpartition(_BLOCK)
    return f"{instructions}{_REPAIR.format(wrong=wrong)}{opening}{block}"


def _asker(gateway: "Gateway", model: "ModelConfig") -> Ask:
    current = threading.local()
    endpoint = gateway_endpoint(gateway, model)
    client = chat_client(chat_options(model), endpoint, lambda purpose: call_headers(current.token, purpose))

    def ask(context: CallContext, prompt: str) -> str:
        if gateway.stop is not None:
            raise UserError(gateway.stop)
        current.token = gateway.issue(context)
        try:
            return client(context.purpose, prompt, CONTRACT)
        except PlannerUnavailable:
            if gateway.stop is not None:
                raise UserError(gateway.stop) from None
            raise

    return ask


def _one_line(text: str) -> str:
    """The text of a model as one line that can be written as UTF-8, unlike half a surrogate pair."""
    return " ".join(text.encode("utf-8", "replace").decode("utf-8").split())
