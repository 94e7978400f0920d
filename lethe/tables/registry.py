"""Every table and figure: its name, what it is made of, and what builds it, registered where the builder stands.

    @table("twins", inputs=(twins, record))
    def twins_table(rows: Sequence[Row], setup: Setup) -> Table: ...

The registry is what importing every module of the rooms `paper`, `beyond` and `figures` registered, room by room: the
modules in the order of the room's `PARTS`, which gives their headings, then the others by name; in a module, as they
were registered. A module that is put there is found by itself.
"""

import importlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import TYPE_CHECKING, Any, TypeVar

from lethe.fingerprints import found_modules
from lethe.study.inputs import Files, Input, paths_of
from lethe.study.remarks import Remark
from lethe.study.setup import Setup
from lethe.tables import cells
from lethe.tables.sources import Source
from lethe.tables.table import Table
from lethe.tables.words import words

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_Builder = TypeVar("_Builder", bound=Callable[..., Table])
_Drawer = TypeVar("_Drawer", bound=Callable[..., "Figure"])
FOUND_MODULES = ("lethe.tables.paper", "lethe.tables.beyond", "lethe.tables.figures")


@dataclass(frozen=True, slots=True)
class TableSpec:
    """One table: `build` is called with what is read from the inputs, in their order.

    Attributes:
        room: `paper` or `beyond`.
        part: the heading under which it stands there.
        latex: whether it is printed; what is too long for that is CSV and stands on the report's page.
    """

    name: str
    inputs: Sequence[Input]
    build: Callable[..., Table]
    room: str
    part: str
    latex: bool


@dataclass(frozen=True, slots=True)
class FigureSpec:
    """One figure; see `TableSpec`."""

    name: str
    inputs: Sequence[Input]
    build: Callable[..., "Figure"]


@dataclass(frozen=True, slots=True)
class _Registered:
    """A builder with its sources; of a figure, whether a configuration has it; of a table, whether it is printed."""

    sources: Sequence[Source]
    build: Callable[..., Any]
    when: Callable[[Setup], object] = lambda _: True
    latex: bool = True

    def inputs(self, setup: Setup) -> list[Input] | str:
        """What it reads, or why it cannot be built."""
        found = [source(setup) for source in self.sources]
        return next((one for one in found if isinstance(one, str)), None) or [
            one for one in found if isinstance(one, Input)
        ]


_MARKS = "*†‡§ "
"""What a label may end with in a cell."""
_tables: dict[str, _Registered] = {}
_figures: dict[str, _Registered] = {}


def table(name: str, *, inputs: Sequence[Source], latex: bool = True) -> Callable[[_Builder], _Builder]:
    """Register a builder as that of a table; it is given what is read from `inputs`, in their order.

    Args:
        latex: see `TableSpec`.
    """

    def register(builder: _Builder) -> _Builder:
        _register(_tables, name, _Registered(inputs, builder, latex=latex))
        return builder

    return register


def figure(
    name: str, *, inputs: Sequence[Source], when: Callable[[Setup], object] = lambda _: True
) -> Callable[[_Drawer], _Drawer]:
    """Register a builder as that of a figure, of the configurations for which `when` holds; see `table`."""

    def register(builder: _Drawer) -> _Drawer:
        _register(_figures, name, _Registered(inputs, builder, when))
        return builder

    return register


def table_specs(setup: Setup) -> list[TableSpec]:
    """Every table; one of which an input does not exist in this configuration says why."""
    _import_builders()
    specs = []
    for name, one in _tables.items():
        found = one.inputs(setup)
        inputs, build = ((), partial(_absent_table, name, found)) if isinstance(found, str) else (found, one.build)
        room, module = _module_of(one.build)
        specs.append(TableSpec(name, inputs, build, room.rpartition(".")[2], _heading(room, module), one.latex))
    return specs


def figure_specs(setup: Setup) -> list[FigureSpec]:
    """Every figure that can be drawn in this configuration."""
    _import_builders()
    found = {name: (one.inputs(setup), one.build) for name, one in _figures.items() if one.when(setup)}
    return [FigureSpec(name, inputs, draw) for name, (inputs, draw) in found.items() if not isinstance(inputs, str)]


def all_paths(specs: Iterable[TableSpec | FigureSpec]) -> list[str]:
    """Every file that some specification reads, sorted."""
    return sorted({path for spec in specs for path in paths_of(spec.inputs)})


def build(spec: TableSpec | FigureSpec, files: Files) -> Any:
    """The table or figure of a specification."""
    return spec.build(*(part.load(files) for part in spec.inputs))


def build_table(spec: TableSpec, files: Files, remarks: Iterable[Remark]) -> Table:
    """The table of a specification, with the remarks on configurations that it shows."""
    made: Table = build(spec, files)
    texts = {*made.header, *made.groups, *(cell.text.rstrip(_MARKS) for row in made.rows() for cell in row)}
    shown = (str(each) for each in remarks if each.is_shown_by(paths_of(spec.inputs), texts))
    return replace(made, notes=[*dict.fromkeys((*made.notes, *shown))])


@cache
def _import_builders() -> None:
    for name in FOUND_MODULES:
        for module in found_modules(name):
            importlib.import_module(module)
    for known in (_tables, _figures):
        # A module imported before, by a test or another module, would come first.
        ordered = sorted(known.items(), key=lambda item: _place_of(item[1].build))
        known.clear()
        known.update(ordered)


def _register(known: dict[str, _Registered], name: str, one: _Registered) -> None:
    if name in known:
        raise ValueError(f"two builders are registered as {name}")
    known[name] = one


def _place_of(builder: Callable[..., Any]) -> tuple[int, int, str]:
    room, module = _module_of(builder)
    parts = list(_parts(room))
    return FOUND_MODULES.index(room), parts.index(module) if module in parts else len(parts), module


def _module_of(builder: Callable[..., Any]) -> tuple[str, str]:
    """The room and the module of a builder."""
    room, _, module = str((builder.func if isinstance(builder, partial) else builder).__module__).rpartition(".")
    return room, module


def _parts(room: str) -> Mapping[str, str]:
    return getattr(importlib.import_module(room), "PARTS", {})


def _heading(room: str, module: str) -> str:
    return _parts(room).get(module) or words(module)


def _absent_table(name: str, reason: str) -> Table:
    return Table(name, f"{words(name)}: {reason}.", ("",), [[[cells.not_run(reason)]]])
