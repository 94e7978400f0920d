"""Answers that are part of the project: they stand in for the model, and can be asked for again."""

import json
from collections.abc import Callable, Collection
from dataclasses import replace
from pathlib import Path

import openai
import pytest

from forgeteval.chat.redaction import Redactor
from forgeteval.errors import UserError
from forgeteval.run.trials import Trial
from lethe.cli.answers import record
from lethe.cli.models import configured_model, served_models
from lethe.config.configurations import Configuration
from lethe.gateway.addresses import Address
from lethe.gateway.answers import Answer, RecordedAnswers
from lethe.gateway.requests import ChatRequest
from lethe.gateway.server import CallContext, Gateway
from lethe.gateway.upstream import Upstream
from lethe.jobs.opening import recorded_of
from lethe.parquet import read_rows, write_rows
from lethe.people.judging import without_quotes
from lethe.schemas import JUDGEMENTS, RECORDED_ANSWERS, TRIALS
from lethe.stored.answers import (
    RecordedRun,
    _checksum,
    answers_path,
    read_answers,
    read_index,
    recorded_row,
    write_index,
)
from lethe.stored.closing import closing_lines
from lethe.trust.recorded_answers import (
    Finished,
    ToRecord,
    Weights,
    ask_again,
    finished_judgements,
    finished_run,
    judgements_to_record,
    record_runs,
    runs_to_record,
    sample_rows,
)
from tests.gateway.conftest import StartGateway, ask, content, model
from tests.support.gateway_logs import rows
from tests.support.paths import ROOT
from tests.support.scripted_endpoint import ScriptedEndpoint, answer, refuse

CASE = CallContext("adversarial", "lethe+llm", "c1", 0, "purge_match")
RUN = RecordedRun("scripted", "adversarial", "lethe+llm", 1, 1)
WEIGHTS = Weights("ab" * 32, "server 1.0")


def record_run(
    run: RecordedRun,
    cache: Path,
    folder: Path,
    weights: Weights = WEIGHTS,
    broken: Collection[str] = (),
    without_quotes: Callable[[str], str] | None = None,
) -> int:
    (added,) = record_runs([ToRecord(Finished(run, 1, broken), weights, without_quotes)], cache, folder)
    return added


def test_recorded_answers_stand_in_for_the_model(
    start: StartGateway, endpoint: ScriptedEndpoint, cache: Path, tmp_path: Path
) -> None:
    live = start(model(endpoint.url))
    said = [content(ask(live, question, context=CASE)) for question in ("one", "two")]
    ask(live, "of another run", context=replace(CASE, suite="published"))
    assert record_run(RUN, cache, tmp_path, WEIGHTS) == 2
    assert read_index(tmp_path) == [RUN]
    kept = read_rows(answers_path(tmp_path, "scripted"), RECORDED_ANSWERS)
    assert {(row["task"], row["weights_sha256"], row["server"]) for row in kept} == {
        ("purge_match", WEIGHTS.weights_sha256, "server 1.0")
    }

    asked, fresh = len(endpoint.asked), tmp_path / "fresh.sqlite"
    recorded = RecordedAnswers.of(tmp_path, ["scripted", "without any"])
    options = {"scripted": model("http://127.0.0.1:9/v1")}
    with Gateway(options, fresh, "replay", recorded=recorded) as replay:
        assert [content(ask(replay, question, context=CASE)) for question in ("one", "two")] == said
        with pytest.raises(openai.APIStatusError, match="no answer"):
            ask(replay, "of another run", context=CASE)
    first = rows(fresh, "calls")[0]
    made = rows(cache, "calls")[0]
    assert (first["cache_hit"], first["spent"]) == (1, 0)
    assert [first[name] for name in ("key", "tokens_in", "tokens_out", "latency_ms", "finish_reason")] == [
        made[name] for name in ("key", "tokens_in", "tokens_out", "latency_ms", "finish_reason")
    ]
    assert len(endpoint.asked) == asked


def test_what_was_recorded_of_the_answers_to_a_run_is_counted(
    start: StartGateway, endpoint: ScriptedEndpoint, cache: Path, tmp_path: Path
) -> None:
    system = Configuration("lethe+llm", model="scripted")
    assert recorded_of(cache, system, "adversarial") == (0, 0)
    live = start(model(endpoint.url))
    for question in ("one", "two", "one"):
        ask(live, question, context=CASE)
    assert recorded_of(cache, system, "adversarial") == (0, 2), "kept by the run itself"
    record_run(RUN, cache, tmp_path, WEIGHTS)
    fresh = tmp_path / "fresh.sqlite"
    recorded = RecordedAnswers.of(tmp_path, ["scripted"])
    with Gateway({"scripted": model(endpoint.url)}, fresh, "live", recorded=recorded) as partly:
        for question in ("one", "two", "three", "three"):
            ask(partly, question, context=CASE)
        ask(partly, "of another suite", context=replace(CASE, suite="published"))
    counted = recorded_of(fresh, system, "adversarial")
    assert counted == (2, 3)
    assert recorded_of(fresh, system, "published") == (0, 1)
    path = Path("runs/adversarial.parquet")
    lines = [list(closing_lines(path, [], live=True, recorded=each)) for each in (counted, (0, 3), (3, 3))]
    assert lines == [[f"{path}: 2 of 3 answers were recorded, the others asked of the model here"], [], []]


def test_recording_again_adds_and_keeps(
    start: StartGateway, endpoint: ScriptedEndpoint, cache: Path, tmp_path: Path
) -> None:
    live = start(model(endpoint.url))
    ask(live, "one", context=CASE)
    record_run(RUN, cache, tmp_path, WEIGHTS)
    ask(live, "two", context=CASE)
    assert record_run(replace(RUN, cases=2), cache, tmp_path, Weights("cd" * 32, "server 2.0")) == 1
    assert read_index(tmp_path) == [replace(RUN, cases=2)]
    servers = [row["server"] for row in read_rows(answers_path(tmp_path, "scripted"), RECORDED_ANSWERS)]
    assert sorted(servers) == ["server 1.0", "server 2.0"]


def test_recording_what_is_recorded_writes_no_answers(
    start: StartGateway, endpoint: ScriptedEndpoint, cache: Path, tmp_path: Path
) -> None:
    ask(start(model(endpoint.url)), "one", context=CASE)
    record_run(RUN, cache, tmp_path, WEIGHTS)
    written = answers_path(tmp_path, "scripted").stat().st_mtime_ns
    assert record_run(RUN, cache, tmp_path, WEIGHTS) == 0
    assert answers_path(tmp_path, "scripted").stat().st_mtime_ns == written


def test_a_run_is_recorded_from_the_endpoint_that_was_asked_last(
    start: StartGateway, endpoint: ScriptedEndpoint, cache: Path, tmp_path: Path
) -> None:
    endpoint.script = [answer("old"), answer("new")]
    ask(start(model(endpoint.url)), "one", context=CASE)
    ask(start(model(endpoint.url.replace("127.0.0.1", "localhost"))), "one", context=CASE)
    assert record_run(RUN, cache, tmp_path, WEIGHTS) == 1
    (row,) = read_answers(answers_path(tmp_path, "scripted"))
    assert json.loads(row["answer"])["content"] == "new"


def test_an_answer_that_was_cut_off_is_recorded_too(
    start: StartGateway, endpoint: ScriptedEndpoint, cache: Path, tmp_path: Path
) -> None:
    endpoint.script = [answer("half", "length")]
    ask(start(model(endpoint.url)), "long", context=CASE)
    assert rows(cache, "answers") == []
    assert record_run(RUN, cache, tmp_path, WEIGHTS) == 1
    (row,) = read_rows(answers_path(tmp_path, "scripted"), RECORDED_ANSWERS)
    assert (row["finish_reason"], json.loads(row["answer"])["content"]) == ("length", "half")


def trials(path: Path, *verdicts: str, name: str = "scripted") -> Path:
    made = [Trial("adversarial", "lethe+llm", name, 0, f"c{n}", verdict=v, llm_calls=1) for n, v in enumerate(verdicts)]  # type: ignore[arg-type]
    write_rows(path, TRIALS, [trial.to_row() for trial in made], "test")
    return path


def judgements(path: Path, *verdicts: str) -> Path:
    fields = {column.name: None if column.nullable else "" for column in JUDGEMENTS.columns}
    numbers = dict.fromkeys(("llm_calls", "tokens_in", "tokens_out", "cost_usd", "answer_ms"), 0)
    named = {**fields, **numbers, "suite": "adversarial", "judge": "scripted"}
    write_rows(path, JUDGEMENTS, [{**named, "case_id": f"c{n}", "verdict": v} for n, v in enumerate(verdicts)], "test")
    return path


def test_finished_runs_of_chosen_suites_are_recorded(tmp_path: Path) -> None:
    own = trials(tmp_path / "runs" / "adversarial" / "lethe+llm@scripted.parquet", "pass", "na")
    trials(tmp_path / "runs" / "published" / "lethe+llm@scripted.parquet", "pass")
    trials(tmp_path / "runs" / "adversarial" / "lethe+llm@other.parquet", "pass")
    judged = judgements(tmp_path / "judging" / "adversarial" / "scripted.parquet", "admit", "unusable")
    others = judgements(tmp_path / "judging" / "published" / "scripted.parquet", "admit")
    assert runs_to_record(tmp_path, ["scripted"], ["adversarial"]) == {judged: finished_judgements, own: finished_run}
    assert judgements_to_record(tmp_path, ["scripted"], ["published"]) == {others: finished_judgements}
    assert finished_judgements(judged) == Finished(replace(RUN, cases=2, system="judge"), 0, set())
    assert finished_judgements(judgements(tmp_path / "broken.parquet", "admit", "error")).broken == {"c1"}
    assert finished_run(own) == Finished(replace(RUN, cases=2), 2, set())
    assert finished_run(trials(tmp_path / "broken.parquet", "pass", "error")) == Finished(
        replace(RUN, cases=2), 2, {"c1"}
    )


def test_a_trial_that_broke_is_recorded_if_every_call_was_answered(
    start: StartGateway, endpoint: ScriptedEndpoint, cache: Path, tmp_path: Path
) -> None:
    live = start(model(endpoint.url))
    ask(live, "one", context=CASE)
    assert record_run(RUN, cache, tmp_path, WEIGHTS, {"c1"}) == 1, "the model answered, and the system broke on that"
    endpoint.script = [refuse(400)]
    with pytest.raises(openai.APIStatusError):
        ask(live, "two", context=CASE)
    with pytest.raises(UserError, match=r"adversarial, lethe\+llm@scripted: c1 broke for want of an answer"):
        record_run(RUN, cache, tmp_path, WEIGHTS, {"c1"})
    assert record_run(RUN, cache, tmp_path, WEIGHTS) == 0, "another trial is none of its business"
    ask(live, "two", context=CASE)
    assert record_run(RUN, cache, tmp_path, WEIGHTS, {"c1"}) == 1


OTHER_RUN = replace(RUN, suite="held_out")


@pytest.mark.parametrize("lacks", ["the cache", "every call", "an answer"])
def test_runs_without_their_answers_are_refused_and_nothing_is_written(
    start: StartGateway, endpoint: ScriptedEndpoint, cache: Path, tmp_path: Path, lacks: str
) -> None:
    """A run that was itself replayed from recorded answers, or was handed on without its cache."""
    live, results, folder = start(model(endpoint.url)), tmp_path / "results", tmp_path / "folder"
    ask(live, "one", context=CASE)
    record_run(RUN, cache, tmp_path / "first")
    replayed = results / "llm" / "cache.sqlite"
    said = f"{replayed}: not there, and the answers of the runs stand in it; restore it"
    if lacks != "the cache":
        recorded = RecordedAnswers.of(tmp_path / "first", ["scripted"])
        options = {"scripted": model("http://127.0.0.1:9/v1")}
        with Gateway(options, replayed, "replay", recorded=recorded) as replay:
            ask(replay, "one", context=CASE)
        said = r"adversarial, lethe\+llm@scripted: 1 of its 1 answers are neither in .* nor recorded in .*folder; serve"
    first, run = ToRecord(Finished(RUN, 1), WEIGHTS), RUN
    if lacks == "every call":
        run, said = OTHER_RUN, r"held_out, lethe\+llm@scripted: no call of it is in .*cache\.sqlite; run it again"
        write_rows(
            answers_path(folder, "scripted"),
            RECORDED_ANSWERS,
            [*read_answers(answers_path(tmp_path / "first", "scripted"))],
            "test",
        )
    before = contents(tmp_path)
    with pytest.raises(UserError, match=said):
        record_runs([first, ToRecord(Finished(run, 1), WEIGHTS)], replayed, folder)
    assert contents(tmp_path) == before


def contents(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_run_that_asked_nothing_is_recorded_without_answers(
    start: StartGateway, endpoint: ScriptedEndpoint, cache: Path, tmp_path: Path
) -> None:
    ask(start(model(endpoint.url)), "one", context=CASE)
    orders = [ToRecord(Finished(run, calls), WEIGHTS) for run, calls in ((RUN, 1), (OTHER_RUN, 0))]
    assert record_runs(orders, cache, tmp_path) == [1, 0]
    assert read_index(tmp_path) == [RUN, OTHER_RUN]


def test_an_answer_about_a_case_of_other_authors_is_recorded_without_its_texts(
    start: StartGateway, endpoint: ScriptedEndpoint, cache: Path, tmp_path: Path
) -> None:
    endpoint.script = [answer("locker 4417 stays")]
    ask(start(model(endpoint.url)), "is locker 4417 gone?", context=CASE)
    assert record_run(RUN, cache, tmp_path, WEIGHTS, without_quotes=lambda text: text[-5:]) == 1
    (row,) = read_answers(answers_path(tmp_path, "scripted"))
    assert row["request"] == "" and json.loads(row["answer"]) == {"role": "assistant", "content": "stays"}
    recorded = RecordedAnswers.of(tmp_path, ["scripted"])
    with Gateway(
        {"scripted": model("http://127.0.0.1:9/v1")}, tmp_path / "fresh.sqlite", "replay", recorded=recorded
    ) as replay:
        assert content(ask(replay, "is locker 4417 gone?", context=CASE)) == "stays"


@pytest.mark.parametrize("name", served_models(ROOT / "config/models.yaml"))
def test_no_recorded_answer_without_a_request_has_a_text_of_its_own(name: str) -> None:
    path = answers_path(ROOT / "answers", name)
    for row in read_answers(path) if path.is_file() else ():
        if not row["request"]:
            said = json.loads(row["answer"])["content"]
            assert without_quotes(said) == said


def test_a_damaged_index_names_its_line(tmp_path: Path) -> None:
    write_index(tmp_path, [RUN])
    text = (tmp_path / "recorded.csv").read_text() + "scripted,held_out,lethe+llm,many,1\n"
    (tmp_path / "recorded.csv").write_text(text)
    with pytest.raises(UserError, match=r"recorded\.csv:3: not a line of the index"):
        read_index(tmp_path)
    assert read_index(tmp_path / "nothing") == []


@pytest.mark.parametrize("name", served_models(ROOT / "config/models.yaml"))
def test_every_recorded_answer_stands_under_the_key_of_its_request(name: str) -> None:
    """A change of how keys are made would leave every recorded answer behind."""
    path = answers_path(ROOT / "answers", name)
    if not path.is_file():
        pytest.skip("nothing recorded of this model")
    served = configured_model("--model", name, ROOT / "config/models.yaml")
    for row in read_answers(path):
        if not row["request"]:
            continue
        request = json.loads(row["request"])
        assert ChatRequest.build(served, request, request["seed"]).key == row["key"]


class Saying:
    """An endpoint that says its own request's text, in upper case for one of them."""

    async def complete(self, fields: dict[str, object]) -> Answer:
        text = str(fields["text"])
        return reply(text.upper() if text == "b" else text)


def reply(text: str) -> Answer:
    return Answer(json.dumps({"choices": [{"message": {"content": text}, "finish_reason": "stop"}]}), "stop", 1, 1)


def test_a_sample_is_asked_again_and_compared() -> None:
    same = {"task": "t", "finish_reason": "stop", "tokens_in": 1, "tokens_out": 1, "latency_ms": 0.0}
    known = [
        recorded_row(
            {**same, "key": text, "request": json.dumps({"text": text}), "weights_sha256": "", "server": "s"},
            reply(text).response,
        )
        for text in "abc"
    ]
    found = {one.key: one.equal for one in ask_again(known, Saying())}
    assert found == {"a": True, "b": False, "c": True}
    assert sample_rows(known, 2, 1) == sample_rows(reversed(known), 2, 1) and len(sample_rows(known, 9, 1)) == 3


def test_a_model_that_cannot_be_asked_again_is_one_line(dead_url: str) -> None:
    row = {"key": "k", "task": "t", "request": json.dumps({"messages": []}), "answer": "{}"}

    def located() -> Address:
        raise UserError("model scripted: my.gguf is not a file; restore it")

    for locate, said in (
        (located, "is not a file; restore it$"),
        (lambda: Address(dead_url, ""), "cannot be reached: "),
    ):
        with pytest.raises(UserError, match=f"^model scripted: .*{said}"):
            ask_again([row], Upstream(model(dead_url, max_attempts=1), locate, Redactor([])))


@pytest.mark.parametrize(
    ("column", "value", "said"),
    [("tokens_out", -(2**62), "has tokens_out below 0"), ("tokens_in", 2**62, "has tokens_in below 0 or above"),
     ("latency_ms", float("nan"), "has latency_ms below 0"), ("answer", "{", "is not JSON"),
     ("answer", "[" * 900 + "]" * 900, "is not JSON"), ("answer", "[]", "is not a JSON object")],
)  # fmt: skip
def test_a_recorded_answer_that_is_none_is_named(tmp_path: Path, column: str, value: object, said: str) -> None:
    path = answers_path(tmp_path, "scripted")
    completion = json.dumps({"choices": [{"message": {"content": "x"}}]})
    asked = {"key": "k", "task": "t", "request": "{}", "finish_reason": "stop", "tokens_in": 1, "tokens_out": 1}
    row = recorded_row({**asked, "latency_ms": 1.0, "weights_sha256": "", "server": ""}, completion)
    row[column] = value
    write_rows(path, RECORDED_ANSWERS, [{**row, "checksum": _checksum(row)}], "test")
    with pytest.raises(UserError, match=f"scripted.parquet: the answer k {said}.*; restore the file"):
        read_answers(path)


def test_recording_from_nowhere_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="nowhere: no finished run of "):
        record(results=tmp_path / "nowhere", folder=tmp_path, config=ROOT / "config", environments=tmp_path)
    assert not list(tmp_path.iterdir())


def test_recording_results_that_came_without_their_cache_changes_nothing(tmp_path: Path) -> None:
    results, folder = tmp_path / "results", tmp_path / "answers"
    trials(results / "runs/adversarial/lethe+llm@smollm2-135m.parquet", "pass", name="smollm2-135m")
    (tmp_path / "llama_cpp.freeze.txt").write_text("xllamacpp==1\n")
    before = contents(tmp_path)
    with pytest.raises(UserError, match=r"results/llm/cache\.sqlite: not there"):
        record(results=results, folder=folder, config=ROOT / "config", environments=tmp_path, model=["smollm2-135m"])
    assert contents(tmp_path) == before


def test_a_changed_answer_is_not_believed(
    start: StartGateway, endpoint: ScriptedEndpoint, cache: Path, tmp_path: Path
) -> None:
    endpoint.script = [answer("keep it")]
    ask(start(model(endpoint.url)), "one", context=CASE)
    record_run(RUN, cache, tmp_path, WEIGHTS)
    path = answers_path(tmp_path, "scripted")
    (row,) = read_rows(path, RECORDED_ANSWERS)
    for column, value in {"answer": row["answer"].replace("keep", "drop"), "tokens_in": 1, "server": "other"}.items():
        write_rows(path, RECORDED_ANSWERS, [{**row, column: value}], "test")
        with pytest.raises(UserError, match=f"scripted.parquet: the answer {row['key']} is not as it was recorded"):
            RecordedAnswers.of(tmp_path, ["scripted"])
