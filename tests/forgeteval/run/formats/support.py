"""Results whose store returned what may mean something to whatever shows it."""

from collections.abc import Sequence
from dataclasses import replace

from forgeteval.cases.case import Case, Mutation
from forgeteval.cases.interchange import cases_sha256
from forgeteval.run.results import ControlResult, Results, SuiteDescription
from forgeteval.run.trials import Trial, Verdict

HOSTILE = (
    "</testcase>]]>&amp;<script>alert(1)</script>",
    "| a | b |\n# heading\n```\n~~~~\n</details>\n[link](https://example.org) ![x](y) www.example.org a@example.org",
    "::error title=x::y\r\n::set-output name=a::b%0A",
    "\x00\x07\x1b[31mred\x1b[0m\x85\u2028\ufffe\uffff \U0001f3e0 \ue000 \u202egnp",
    "$x$ `code` *bold* _it_ ~~gone~~ @nobody #1 <b>x</b> &copy; \\",
)
"""Each with what one of the formats would take for its own."""


def make_case(case_id: str, category: str = "traps") -> Case:
    """A case of a suite of somebody's."""
    return Case(
        case_id,
        "mine",
        category,
        ("Ada lives in Ghent.",),
        (Mutation("purge", "Ada"),),
        "Where?",
        ("Tartu",),
        ("Ghent",),
    )


def make_results(trials: Sequence[tuple[Case, Trial]], store: str = "toy:Store") -> Results:
    """Results of these trials."""
    return Results(
        store=store,
        suite=SuiteDescription("mine", "Mine", 0, cases_sha256([case for case, _ in trials])),
        settings={"k": 10},
        cases=tuple(case for case, _ in trials),
        trials=tuple(trial for _, trial in trials),
        controls=(ControlResult("null", 0, len(trials), None),),
        date="2026-11-25T16:26:26+00:00",
    )


def make_trial(case: Case, verdict: Verdict, **fields: object) -> tuple[Case, Trial]:
    """A case with a trial of it, which took 1.5 s."""
    trial = Trial("mine", "toy:Store", "", 0, case.case_id, verdict, inscribe_ms=1000, mutate_ms=400, recall_ms=100)
    return case, replace(trial, **fields)  # type: ignore[arg-type]


def each_verdict() -> Results:
    """Results with a trial of each verdict, in two categories."""
    return make_results(
        [
            make_trial(make_case("passed"), "pass", recalled=["Tartu"]),
            make_trial(
                make_case("failed"), "fail", missing=["Tartu"], leaked=["Ghent"], recalled=["Ada lives in Ghent."]
            ),
            make_trial(
                make_case("broke", "others"), "error", error="KeyError: 7", traceback="Traceback:\n  KeyError: 7\n"
            ),
            make_trial(make_case("not offered", "others"), "na", error="it cannot delete"),
        ]
    )


def hostile(verdict: Verdict = "fail") -> Results:
    """Results of a store that returns, raises, prints and is called what is hostile."""
    trials = [
        make_trial(
            make_case(f"{text} {number}", text),
            verdict,
            recalled=list(HOSTILE),
            leaked=[text],
            error=text if verdict != "fail" else None,
            traceback=text if verdict == "error" else None,
            decisions=[text],
        )
        for number, text in enumerate(HOSTILE)
    ]
    return replace(make_results(trials, store=HOSTILE[1]), notes=HOSTILE)
