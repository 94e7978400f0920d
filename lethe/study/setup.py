"""What the configuration says that comparisons, tables, figures and the report need: one record, kept as JSON."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from forgeteval.errors import UserError
from forgeteval.json_records import from_json
from lethe.config.configurations import Configuration
from lethe.people.model_families import same_model_family
from lethe.study.atlas import AtlasSystem
from lethe.study.handed_in import HandedIn

ABLATED = "lethe+matcher"
"""Configuration that is run without each kind of evidence."""
PAPER_K = 10
"""Number of memories that a recall of the paper returns."""
SHOWN_K = 10
"""Of the k of the long histories, the one that tables and findings show where they show one."""
NO_JUDGE = "not run: no judge configured (models.NAME.systems: [])"


@dataclass(frozen=True, slots=True)
class Suite:
    """A suite that is run.

    Attributes:
        not_run: configuration to the reason why it does not run on the suite.
        seen_by: planners that were developed on its cases.
        available_since: commit since which those who develop planners have had the cases; empty for always.
        sample_of: the suite that it holds some cases of each category of; empty for none.
        twins_of: the suite that is run whose twins it holds, likewise.
        withdrawn: number of its cases that are withdrawn in this version.
        version: of its cases; 0 for a suite that has no versions.
    """

    label: str
    not_run: Mapping[str, str]
    seen_by: Sequence[str] = ()
    available_since: str = ""
    sample_of: str = ""
    twins_of: str = ""
    withdrawn: int = 0
    version: int = 0


@dataclass(frozen=True, slots=True)
class EmptySuite:
    """A suite that was asked for and has no case yet, and why."""

    label: str
    reason: str


@dataclass(frozen=True, slots=True)
class Benchmark:
    """A benchmark of other authors: whether any configuration runs on it, and why it, or one of them, does not.

    Attributes:
        only: configuration to the histories that it runs on, where it does not run on all.
    """

    runs: bool
    absent: str | None
    not_run: Mapping[str, str]
    only: Mapping[str, Sequence[str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Release:
    """What the authors released.

    Attributes:
        absent: why there is nothing to compare with; None where there is.
        suites: the release's name of a suite (adversarial, repaired, external) to the suite of its cases.
        sha256: of each of its files, by name; none where there is nothing to compare with.
    """

    absent: str | None
    suites: Mapping[str, str]
    sha256: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Judge:
    """A model that judges cases.

    Attributes:
        recorded: recorded answers stand in for it.
        not_run: suite to the reason why it does not judge there.
    """

    label: str
    family: str
    recorded: bool
    not_run: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Latency:
    """What times are taken on: the first cases of each category of the adversarial suite, and how often each is run."""

    cases_per_category: int
    repetitions: int


@dataclass(frozen=True, slots=True)
class StoreSize:
    """The store-size axis: the configurations on it, and what is recalled from.

    Attributes:
        suite: whose cases are run, the first of each category.
        sizes: numbers of unrelated memories.
    """

    enabled: bool
    suite_label: str
    configurations: Sequence[str]
    suite: str
    sizes: Sequence[int]
    cases_per_category: int


@dataclass(frozen=True, slots=True)
class Long:
    """The long histories: how many are run, of how many memories at most a question asks, and on what.

    Attributes:
        configurations: those that run on them; none where they are switched off.
        not_run: each of the others with the reason.
    """

    histories: int
    ks: Sequence[int]
    configurations: Sequence[str]
    not_run: Mapping[str, str]

    @property
    def shown_k(self) -> int:
        """Of the k that are asked, the one that stands for all; the smallest where 10 is none of them."""
        return SHOWN_K if SHOWN_K in self.ks else min(self.ks, default=SHOWN_K)


@dataclass(frozen=True, slots=True)
class Erasure:
    """The erasure audit: how many cases, and on what.

    Attributes:
        stores: configuration to its stores, each as the number of its memories and of its cases; none where the audit
            is switched off.
        capped: configuration to the most that it is audited with, where others have more.
        not_run: each of the other configurations with the reason.
    """

    stores: Mapping[str, Sequence[Sequence[int]]]
    capped: Mapping[str, int]
    not_run: Mapping[str, str]

    @property
    def cases(self) -> int:
        """How many cases there are; where a case takes long, the first of them."""
        return max((cases for stores in self.stores.values() for _, cases in stores), default=1)


@dataclass(frozen=True, slots=True)
class EmbedderAblation:
    """Further embedders on the adversarial suite.

    Attributes:
        embedders: each with the reason why it is not run; empty where it is.
        configurations: those that are run with each of them.
    """

    embedders: Mapping[str, str]
    configurations: Sequence[str]

    def embedders_to_run(self) -> list[str]:
        """Names of those that are run."""
        return [name for name, reason in self.embedders.items() if not reason]


@dataclass(frozen=True, slots=True)
class Setup:
    """What is run, under which names, and why the rest is not.

    Attributes:
        configurations: by name (SYSTEM or SYSTEM@MODEL), in the order of the tables.
        suites: those that are run, by name, in their order.
        suite_labels: of every suite, run or not, by name.
        judges: by name in config.
        no_judge: why there is none, where there is none.
        models: label of each chat model that systems may ask, by its name in config.
        families: model family of each chat model, by its name in config.
        parameters: number of its parameters, likewise; None where config does not say.
        hook_pairs: (configuration, the same one with a hook).
        embedder: name of the one that everything is run with, without the hub's folder.
        reading: how the values of Memora's evidence are read.
        resamples, seed: of every bootstrap.
        repetitions: how often each case is run, by the chat model; empty for none.
        handed_in: what ran elsewhere; it is in no table of what was measured here.
        atlas: the systems of the atlas, by the name of their folder; their trials are recorded.
        caveats: what a row may not be taken for, by configuration, of those that have a caveat.
        recorded: chat models, by name in config, that recorded answers stand in for.
        k: number of memories that a recall returns; the long histories have their own.
    """

    configurations: Mapping[str, Configuration]
    suites: Mapping[str, Suite]
    suite_labels: Mapping[str, str]
    empty_suites: Mapping[str, EmptySuite]
    template_suite: str
    adversarial_suite: str
    held_out_suite: str
    scorer: str
    reference: str
    judges: Mapping[str, Judge]
    no_judge: str
    models: Mapping[str, str]
    families: Mapping[str, str]
    parameters: Mapping[str, int | None]
    benchmarks: Mapping[str, Benchmark]
    reading: str
    hook_pairs: Sequence[Sequence[str]]
    release: Release
    latency: Latency
    store_size: StoreSize
    embedder: str
    embedder_ablation: EmbedderAblation
    resamples: int
    seed: int
    repetitions: Mapping[str, int]
    long: Long = Long(0, (), (), {})
    erasure: Erasure = Erasure({}, {}, {})
    told: Sequence[str] = ()
    handed_in: Sequence[HandedIn] = ()
    atlas: Mapping[str, AtlasSystem] = field(default_factory=dict)
    caveats: Mapping[str, str] = field(default_factory=dict)
    recorded: Sequence[str] = ()
    k: int = PAPER_K

    def to_json(self) -> dict[str, Any]:
        """The record as JSON has it: dictionaries, lists and texts alone."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Setup":
        """The reverse of `to_json`.

        Raises:
            UserError: where the data are not such a record.
        """
        try:
            return from_json(cls, data)
        except (KeyError, TypeError) as error:
            raise UserError(f"not a record of a configuration ({error})") from error

    def measured(self) -> list[str]:
        """Names of the configurations that are not controls."""
        return [name for name, entry in self.configurations.items() if entry.regime != "control"]

    def controls(self) -> list[str]:
        """Names of the stores that are controls; the ceilings of hooks are none."""
        return [name for name, entry in self.configurations.items() if entry.regime == "control" and not entry.hook]

    def of_system(self, system: str) -> list[str]:
        """Names of a system's configurations: its own, or one for each model."""
        return [name for name, entry in self.configurations.items() if entry.system == system]

    def compared_suites(self) -> dict[str, str]:
        """The release's name of a suite to the suite here, of those that run and have published verdicts."""
        suites = {} if self.release.absent else self.release.suites
        return {name: suite for name, suite in suites.items() if suite in self.suites}

    def samples_of(self, suite: str) -> list[str]:
        """Names of the suites that hold some cases of each category of another."""
        return [name for name, options in self.suites.items() if options.sample_of == suite]

    def twins(self) -> dict[str, str]:
        """Each suite of twins with the suite whose twins it holds."""
        return {name: options.twins_of for name, options in self.suites.items() if options.twins_of}

    @property
    def labelled_suite(self) -> str | None:
        """The suite of which the release has a sample that people labelled; None where it is not run."""
        return self.compared_suites().get("adversarial")

    def handed_in_runs(self) -> list[tuple[str, str, str]]:
        """Who handed in, configuration and suite of everything that is shown of what ran elsewhere."""
        return [(handed.by, handed.name, suite) for handed in self.handed_in for suite in handed.suites]

    def atlas_suites(self) -> list[str]:
        """The suites of which trials of the atlas are shown."""
        shown = {suite for system in self.atlas.values() for suite in system.suites}
        return [suite for suite in self.suites if suite in shown]

    def judged_suites(self) -> list[str]:
        """The suites that judges judge: the adversarial one, and the cases that people labelled of a released one."""
        suites = (self.adversarial_suite, self.labelled_suite)
        return list(dict.fromkeys(suite for suite in suites if suite is not None))

    def judging(self, suite: str) -> list[str]:
        """Names of the judges that judge a suite."""
        judged = suite in self.judged_suites()
        return [name for name, judge in self.judges.items() if judged and suite not in judge.not_run]

    def hooked_like(self, judge: str, suite: str) -> list[str]:
        """Labels of the models that plan mutations on a suite and are of a judge's model family."""
        planning = {
            entry.model: None
            for name, entry in self.configurations.items()
            if entry.hook == "llm" and entry.model and self.runs(name, suite)
        }
        family = self.judges[judge].family
        return [self.models[name] for name in planning if same_model_family(self.families[name], family)]

    def memora_is_compared(self) -> bool:
        """Whether Memora is run and has published verdicts, question by question, to compare with."""
        return self.release.absent is None and self.benchmarks["memora"].runs

    def runs(self, name: str, suite: str) -> bool:
        """Whether a configuration runs on a suite."""
        return name in self.configurations and suite in self.suites and name not in self.suites[suite].not_run

    def timed(self) -> list[str]:
        """Names of the configurations whose times are taken with nothing beside them: those that ask no chat model."""
        runs = (name for name in self.measured() if self.runs(name, self.adversarial_suite))
        return [name for name in runs if not self.configurations[name].asks_model]

    def repetitions_of(self, name: str) -> int:
        """How often a configuration runs each case of a suite."""
        return self.repetitions[self.configurations[name].model]

    @property
    def matcher_runs(self) -> bool:
        """Whether Lethe with the matcher runs on the adversarial suite."""
        return self.runs(ABLATED, self.adversarial_suite)

    def compared_with_matcher(self) -> list[str]:
        """Lethe and the configurations with the matcher that run on the adversarial and, if it is run, the held-out
        suite; none where Lethe with the matcher does not run."""
        if not self.matcher_runs:
            return []
        suites = [suite for suite in (self.adversarial_suite, self.held_out_suite) if suite in self.suites]
        matcher = (name for name, entry in self.configurations.items() if entry.hook == "matcher")
        return [name for name in ("lethe", *matcher) if all(self.runs(name, suite) for suite in suites)]

    def bootstrap(self) -> dict[str, int]:
        """The options of every bootstrap."""
        return {"resamples": self.resamples, "seed": self.seed}

    @property
    def reference_label(self) -> str:
        return next(entry.label for entry in self.configurations.values() if entry.system == self.reference)
