"""A sound case in its interchange form, for tests to bend."""

import json
from pathlib import Path
from typing import Any


def sound_case(**changes: Any) -> dict[str, Any]:
    """A case that Stage 1 admits; a field set to None is left out."""
    row: dict[str, Any] = {
        "id": "lockers",
        "category": "prefix_collision",
        "setup_facts": [
            "Locker 31 belongs to the trombone player.",
            "Locker 311 holds the spare valves.",
            "The hall is heated on Fridays.",
            "Scores are in the blue folder.",
        ],
        "mutations": [["purge", "locker 31"]],
        "final_query": "What do the lockers hold?",
        "must_contain": ["spare valves"],
        "must_not_contain": ["trombone player"],
        "gold_rows": [
            "Locker 311 holds the spare valves.",
            "The hall is heated on Fridays.",
            "Scores are in the blue folder.",
        ],
    }
    row.update(changes)
    return {name: value for name, value in row.items() if value is not None}


def other_case(**changes: Any) -> dict[str, Any]:
    """A second sound case, with other facts."""
    return sound_case(
        **{
            "id": "club",
            "category": "paraphrase_supersession",
            "setup_facts": [
                "The supper club meets on the first Thursday.",
                "The reading circle meets on the third Thursday.",
                "Ilmari cannot eat walnuts.",
                "The bench is hard.",
            ],
            "mutations": [["supersede", "the supper club's day", "We cook together every second Sunday."]],
            "final_query": "When do we cook, and when does the reading circle meet?",
            "must_contain": ["second Sunday", "third Thursday"],
            "must_not_contain": ["first Thursday"],
            "gold_rows": [
                "The reading circle meets on the third Thursday.",
                "Ilmari cannot eat walnuts.",
                "The bench is hard.",
                "We cook together every second Sunday.",
            ],
            **changes,
        }
    )


def write_lines(path: Path, *lines: dict[str, Any] | str) -> Path:
    """Write a JSON Lines file; a string stands for a line as it is."""
    texts = [line if isinstance(line, str) else json.dumps(line, ensure_ascii=False) for line in lines]
    path.write_text("\n".join(texts) + "\n", encoding="utf-8")
    return path
