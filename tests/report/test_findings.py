from dataclasses import replace

from lethe.findings.lines import TOPICS, five_lines
from lethe.report.findings import findings
from lethe.tables.table import Cell
from tests.support.findings import invented_tables


def test_the_page_says_what_the_readme_says() -> None:
    told = [f"**{each.topic}.** {each.text}" for each in findings(invented_tables())]
    assert [line.replace("\N{NO-BREAK SPACE}", " ") for line in told] == five_lines(invented_tables())


def test_each_finding_leads_to_the_tables_that_it_follows_from() -> None:
    tables = invented_tables()
    assert {each.topic: list(each.tables) for each in findings(tables)} == {
        topic: list(needed) for topic, needed in TOPICS.items()
    }
    del tables["model_size"]
    assert findings(tables)[2].tables == ["states_held_out", "suite_published_external", "twins"]


def test_what_a_run_lacks_is_said_in_place_of_the_finding() -> None:
    tables = invented_tables()
    del tables["model_size"]
    tables["pass_worth"] = replace(tables["pass_worth"], sections=[[[Cell("not run: no data", "not run")]]])
    tables["long"] = replace(tables["long"], header=["?"] * len(tables["long"].header))
    texts = [each.text for each in findings(tables)]
    assert texts[2].startswith("This run does not say: tables model_size: missing")
    assert texts[3] == "not run: no data"
    assert texts[4].startswith("This run does not say: table long: no column")
    assert texts[:2] == [each.text for each in findings(invented_tables())][:2]
