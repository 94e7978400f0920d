"""What a run will cost, reckoned from recorded runs: on recorded data, and what is done with it."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.testing import CliRunner

from forgeteval.cases.suites import build_suite
from forgeteval.errors import UserError
from forgeteval.planners.chat import ChatOptions
from lethe.config.chat_models import ModelConfig
from lethe.config.model import Config
from lethe.config.reading import read_config
from lethe.config.selection import all_configurations, configurations_to_run, left_out_lines
from lethe.stored.answers import RecordedUsage, read_usage
from lethe.study.estimate import (
    agree,
    already_there,
    begin_run,
    cap_lines,
    estimate,
    estimates,
    hook_prompts,
    pace_spread,
    there_line,
)
from tests.support.commands import app
from tests.support.config import of, shipped
from tests.support.paths import ROOT

RECORDED = read_usage(ROOT / "answers")
USAGE = [row for row in RECORDED if row.system.endswith("+llm") and not row.model.endswith("-rows")]
SUITES = ("adversarial", "held_out", "adversarial_sample")
RUNS = sorted({(row.model, row.suite, row.system) for row in USAGE if row.suite != "adversarial_sample"})
PRICES = {"usd_per_million_in": 0.15, "usd_per_million_out": 0.6}


@pytest.fixture(scope="module")
def asking() -> Any:
    config = read_config(ROOT)
    paper = ChatOptions("m", 0.0, 1, contract="paper")
    asked = {name: hook_prompts(build_suite(name, config.suites[name].options()), paper) for name in SUITES}
    return lambda model, suite: asked[suite]


@pytest.mark.parametrize("run", RUNS, ids="-".join)
def test_a_suite_is_estimated_from_the_others_within_15_percent(run: tuple[str, str, str], asking: Any) -> None:
    name, suite, system = run
    entry = {"family": "f", "base_url": "http://127.0.0.1:9/v1", "model": "m", **PRICES}
    model = ModelConfig.from_config(name, entry)
    others = [row for row in USAGE if row.suite != suite]
    spread = pace_spread(row for row in RECORDED if row.suite != suite)
    found = estimate(model, suite, system, 1, asking, others, spread)
    its = [row for row in USAGE if (row.model, row.suite, row.system) == run]
    calls, tokens_in = sum(row.calls for row in its), sum(row.tokens_in for row in its)
    tokens_out = sum(row.tokens_out for row in its)
    assert suite not in found.recorded
    assert found.calls == pytest.approx(calls, rel=0.15)
    assert found.tokens_in == pytest.approx(tokens_in, rel=0.15)
    assert found.tokens_out == pytest.approx(tokens_out, rel=0.15)
    assert found.usd == pytest.approx(model.cost_usd(int(tokens_in), int(tokens_out)), rel=0.15)
    took = sum(row.answer_ms for row in its) / 60_000 / model.concurrency
    assert found.least_minutes <= took <= found.most_minutes


def test_a_run_of_the_same_suite_is_taken_as_it_was(asking: Any) -> None:
    model = ModelConfig.from_config("qwen2.5-coder-0.5b", {"family": "f", "base_url": "http://h/v1", "model": "m"})
    found = estimate(model, "held_out", "lethe+llm", 3, asking, USAGE)
    its = [row for row in USAGE if (row.model, row.suite, row.system) == (model.name, "held_out", "lethe+llm")]
    assert found.recorded == ("held_out",) and found.usd is None
    assert found.calls == pytest.approx(3 * sum(row.calls for row in its))
    slow = model.model_copy(update={"requests_per_minute": 1})
    assert estimate(slow, "held_out", "lethe+llm", 1, asking, USAGE).minutes == pytest.approx(found.calls / 3)
    with pytest.raises(UserError, match="no run is recorded that tells what"):
        estimate(model, "held_out", "lethe+llm", 1, asking, [])


def config(tmp_path: Path, **options: Any) -> Config:
    merged = shipped()
    merged["output_dir"] = str(tmp_path)
    merged["llm"]["answers"] = str(ROOT / "answers")
    merged["models"]["new"] = {"family": "f", "base_url": "http://127.0.0.1:9/v1", "model": "m", **PRICES, **options}
    return of(merged)


def test_a_new_model_runs_hooks_on_the_paper_s_suites_alone(tmp_path: Path) -> None:
    chosen = config(tmp_path)
    found = {
        (suite, name) for suite in chosen.suites for name in configurations_to_run(chosen, suite) if "@new" in name
    }
    systems = {name.partition("@")[0] for _, name in found}
    assert systems == {"lethe+llm", "langgraph+llm", "mem0+llm", "naive_sql+llm"}
    assert {suite for suite, _ in found} <= {"template", "adversarial", "held_out", "published"}
    everything = config(tmp_path, systems="all", suites="all")
    assert sum("@new" in name for name in all_configurations(everything)) > len(systems)


def test_a_whole_run_says_first_what_it_leaves_out_and_why(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    chosen = config(tmp_path, suites={"hook": ["held_out"], "inside": []})
    begin_run(chosen, on_terminal=False, whole=True)
    told = capsys.readouterr().err.splitlines()
    heavy = next(line for line in told if line.startswith("not run: it runs on request alone (run.heavy): "))
    assert "letta, letta+uniform" in heavy
    of_new = next(
        line for line in told if line.startswith("not run: the model is not for this suite (models.new.suites)")
    )
    assert "naive_sql+llm@new (on adversarial, twins, owners, languages, adversarial_sample)" in of_new
    assert told.index(heavy) < next(at for at, line in enumerate(told) if line.startswith("lethe+llm@new on held_out"))
    assert not any("lethe+matcher" in line for line in told if line.startswith("not run"))
    begin_run(chosen, on_terminal=False)
    assert "not run" not in capsys.readouterr().err


def test_each_suite_has_its_own_reason_why_a_model_is_left_out(tmp_path: Path) -> None:
    chosen = config(tmp_path, suites={"hook": ["held_out"], "inside": []})
    run = chosen.run.model_copy(update={"only": {**chosen.run.only, "held_out": ["lethe"]}})
    lines = left_out_lines(chosen.model_copy(update={"run": run}))
    (of_only,) = [line for line in lines if line.startswith("not run: left out by run.only.held_out")]
    assert "lethe+llm@new (on held_out)" in of_only


def test_what_nobody_asked_for_is_not_said_to_be_left_out(tmp_path: Path) -> None:
    chosen = config(tmp_path)
    run = chosen.run.model_copy(update={"systems": ["lethe", "letta"]})
    why, how = left_out_lines(chosen.model_copy(update={"run": run}))
    assert why == "not run: it runs on request alone (run.heavy): letta"
    assert "forgeteval why results/runs/SUITE/CONFIGURATION.parquet" in how
    run = chosen.run.model_copy(update={"systems": ["lethe"]})
    assert left_out_lines(chosen.model_copy(update={"run": run})) == []


def test_a_run_says_what_it_costs_and_asks_above_the_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    dear = config(
        tmp_path, usd_per_million_in=15.0, usd_per_million_out=60.0, suites={"hook": ["held_out"], "inside": []}
    )
    with pytest.raises(UserError, match=r"expected to cost \d+\.\d\d USD.*forgeteval estimate --yes"):
        begin_run(dear, on_terminal=False)
    told = capsys.readouterr().err.splitlines()
    assert len(told) == 5 and told[0].startswith("lethe+llm@new on held_out: ") and " min" in told[-1]
    for said, agrees in (("n", False), ("y", True)):
        monkeypatch.setattr("builtins.input", lambda _, said=said: said)
        if agrees:
            begin_run(dear, on_terminal=True)
        else:
            with pytest.raises(UserError):
                begin_run(dear, on_terminal=True)
    agree(dear, *estimates(dear))
    begin_run(dear, on_terminal=False)


def test_a_model_with_a_price_of_which_nothing_is_known_needs_an_agreement(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    unheard = config(
        tmp_path, usd_per_million_in=9.0, usd_per_million_out=9.0, suites={"hook": ["held_out"], "inside": []}
    )
    known = unheard
    unheard = unheard.model_copy(update={"llm": unheard.llm.model_copy(update={"answers": str(tmp_path / "none")})})
    with pytest.raises(UserError, match=r"no run is recorded that tells what .*, and the model has a price; .* --yes"):
        begin_run(unheard, on_terminal=False)
    assert "which is not known" in capsys.readouterr().err.splitlines()[-1]
    agree(unheard, *estimates(known))
    with pytest.raises(UserError, match="whatever it costs"):
        begin_run(unheard, on_terminal=False)
    agree(unheard, *estimates(unheard))
    begin_run(unheard, on_terminal=False)


def test_the_cap_that_stops_a_run_first_is_named(tmp_path: Path) -> None:
    capped = config(
        tmp_path,
        usd_per_million_in=15.0,
        max_usd=0.5,
        max_calls=5,
        suites={"hook": ["held_out"], "inside": []},
    )
    (line,) = cap_lines(capped, estimates(capped)[0])
    assert line.startswith("models.new.max_calls: 5 is less than the ")
    wide = config(tmp_path, max_calls=10_000, suites={"hook": ["held_out"], "inside": []})
    assert list(cap_lines(wide, estimates(wide)[0])) == []


@pytest.mark.parametrize("tokens", ["inf", "1e308", "nan", "-1"])
def test_usage_of_endless_numbers_is_refused_with_its_line(tmp_path: Path, tokens: str) -> None:
    lines = (ROOT / "answers/usage.csv").read_text(encoding="utf-8").splitlines()
    at = lines[0].split(",").index("tokens_in")
    cells = lines[1].split(",")
    cells[at] = tokens
    (tmp_path / "usage.csv").write_text("\n".join((lines[0], ",".join(cells))) + "\n", encoding="utf-8")
    with pytest.raises(UserError, match=r"usage\.csv:2: .*restore the file"):
        read_usage(tmp_path)


def test_usage_that_is_cut_off_or_doubled_is_refused(tmp_path: Path) -> None:
    whole = (ROOT / "answers/usage.csv").read_text(encoding="utf-8")
    (tmp_path / "usage.csv").write_text(whole[:-3], encoding="utf-8")
    with pytest.raises(UserError, match=r"usage\.csv: its last line is cut off; restore the file"):
        read_usage(tmp_path)
    (tmp_path / "usage.csv").write_text(whole + whole.partition("\n")[2], encoding="utf-8")
    with pytest.raises(UserError, match=r"usage\.csv: .* has 2 lines; restore the file"):
        read_usage(tmp_path)


def test_what_is_there_or_recorded_costs_nothing(tmp_path: Path) -> None:
    assert estimates(read_config(ROOT)) == ([], [])
    here = config(tmp_path, suites={"hook": ["held_out"], "inside": []})
    done = tmp_path / "results/runs/held_out/lethe+llm@new.parquet"
    done.parent.mkdir(parents=True)
    done.touch()
    found, unknown = estimates(here)
    assert {one.system for one in found} == {"langgraph+llm", "mem0+llm", "naive_sql+llm"} and unknown == []


def test_files_that_are_there_are_said_not_to_be_reckoned_with(tmp_path: Path) -> None:
    here = config(tmp_path, suites={"hook": ["held_out"], "inside": []})
    assert already_there(here) == []
    done = tmp_path / "results/runs/held_out/lethe+llm@new.parquet"
    done.parent.mkdir(parents=True)
    done.touch()
    changed = config(tmp_path, suites={"hook": ["held_out"], "inside": []}, repetitions=3)
    assert already_there(here) == already_there(changed) == [done]
    assert there_line([done]).startswith("not reckoned with: 1 file of asked models")
    assert f"`forgeteval why {done}` says" in there_line([done])


def test_the_command_says_what_it_did_not_reckon_with(tmp_path: Path) -> None:
    extra = {
        "output_dir": str(tmp_path / "out"),
        "models": {
            "new": {
                "family": "f",
                "base_url": "http://127.0.0.1:9/v1",
                "model": "m",
                "suites": {"hook": ["held_out"], "inside": []},
            }
        },
        "run": {"systems": ["lethe+llm"]},
    }
    (tmp_path / "extra.yaml").write_text(yaml.safe_dump(extra), encoding="utf-8")
    done = tmp_path / "out/results/runs/held_out/lethe+llm@new.parquet"
    done.parent.mkdir(parents=True)
    command = ["estimate", "--root", str(ROOT), "--configfile", str(tmp_path / "extra.yaml")]
    before = CliRunner().invoke(app, command, catch_exceptions=False).output.splitlines()
    assert any(line.startswith("lethe+llm@new on held_out: ") for line in before)
    assert not any(line.startswith("not reckoned with") for line in before)
    done.touch()
    *_, nobody, there = CliRunner().invoke(app, command, catch_exceptions=False).output.splitlines()
    assert nobody == "no chat model is to be asked for a file that is not there yet"
    assert there.startswith("not reckoned with: 1 file of asked models") and str(done) in there


def test_a_key_that_is_not_set_is_said_before_anything_is_asked(tmp_path: Path) -> None:
    live = {"family": "f", "base_url": "http://127.0.0.1:9/v1", "model": "m", "api_key_env": "NO_SUCH_KEY"}
    extra = {"output_dir": str(tmp_path / "out"), "models": {"new": {**live, "systems": []}}}
    (tmp_path / "extra.yaml").write_text(yaml.safe_dump(extra), encoding="utf-8")
    command = ["estimate", "--root", str(ROOT), "--configfile", str(tmp_path / "extra.yaml")]
    said = CliRunner().invoke(app, command, catch_exceptions=False).output.splitlines()
    assert "model new: the variable NO_SUCH_KEY is not set; export the API key in it" in said


def test_the_spread_of_minutes_is_of_the_same_model_and_system_on_two_suites() -> None:
    row = RecordedUsage("m", "one", "lethe+llm", "supersede", 10, 0, 0, 1000)
    slow = replace(row, suite="two", answer_ms=3000)
    assert pace_spread([row, replace(slow, model="n"), replace(slow, system="mem0+llm")]) == 1.0
    assert pace_spread([row, slow]) == pace_spread([slow, row]) == 3.0
    assert pace_spread([]) == 1.0
    assert round(pace_spread(RECORDED)) == 4, "docs/models.md says so"


def test_usage_that_was_recorded_comes_from_a_run() -> None:
    assert all(isinstance(row, RecordedUsage) and row.calls > 0 for row in read_usage(ROOT / "answers"))
