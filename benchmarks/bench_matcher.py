"""The matcher's errors on generated identifiers, and the cost of a decision: python -m benchmarks.bench_matcher

Prints, for each type of identifier, the share of random pairs of different identifiers that it matches ("random"), of
pairs that differ in one digit or letter and that it matches ("near miss"), and of pairs of two ways to write one
identifier that it misses; then the milliseconds of a decision on memories of the authored suite without an embedder.
"""

import argparse
import random
import statistics
import time
from collections.abc import Callable
from pathlib import Path

from forgeteval.cases.reading import read_cases
from forgeteval.planners.protocol import Candidate, Meant
from lethe.matcher.planner import Matcher
from tests.support.identifier_surfaces import TYPES, neighbour


def is_match(planner: Matcher, kind: str, one: str, written: str) -> bool:
    decision = planner.purge(f"the {kind} {one}", [Candidate(f"Noted: {written} was seen twice")])
    return isinstance(decision, Meant) and bool(decision.whole)


def print_matches(pairs: int) -> None:
    planner, chance = Matcher(), random.Random(0)
    each = pairs // len(TYPES)
    print(f"{'type':12} {'pairs':>7} {'random':>9} {'near miss':>10} {'missed':>8}")
    for kind, (make, write) in TYPES.items():
        false = near = missed = 0
        for _ in range(each):
            one, other = make(chance), make(chance)
            false += one != other and is_match(planner, kind, one, write(other, chance))
        for _ in range(each // 10):
            one = make(chance)
            near += is_match(planner, kind, one, neighbour(one, chance))
            missed += not is_match(planner, kind, one, write(one, chance))
        tenth = each // 10
        print(f"{kind:12} {each:7} {false / each:9.5%} {near / tenth:10.3%} {missed / tenth:8.3%}")


def print_times() -> None:
    """Time each input when it is first seen; tables and imports are loaded before."""
    planner = Matcher()
    seen = [Candidate(text) for text in ("王伟", "Tanaka Taro", "020 7946 0958", "0-306-40615-2", "Ana moves in May")]
    for name in ("Wang Wei", "田中太郎", "+44 20 7946 0958", "ISBN 978-0-306-40615-7", "Ana's move"):
        planner.purge(name, seen)
    calls: dict[str, list[Callable[[], object]]] = {"supersede": [], "purge": [], "release": []}
    for case in read_cases(Path("suites/adversarial", "adversarial")):
        memories, mutation = [Candidate(fact) for fact in case.setup_facts], case.mutations[0]
        query, text = mutation.query, mutation.text or ""
        if mutation.op == "supersede":
            calls["supersede"].append(lambda q=query, t=text, m=memories: planner.supersede(q, t, m))
        elif mutation.op == "purge":
            calls["purge"].append(lambda q=query, m=memories: planner.purge(q, m))
        else:
            calls["release"].append(lambda q=query, m=memories: planner.release(q, m))
    print(f"\n{'decision':10} {'calls':>6} {'p50 ms':>8} {'p95 ms':>8}")
    for name, decide in calls.items():
        times = []
        for call in decide:
            start = time.perf_counter()
            call()
            times.append(1000 * (time.perf_counter() - start))
        print(f"{name:10} {len(times):6} {statistics.median(times):8.2f} {statistics.quantiles(times, n=20)[-1]:8.2f}")


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--pairs", type=int, default=100_000, help="random pairs over all types (default 100000)")
    print_matches(arguments.parse_args().pairs)
    print_times()
