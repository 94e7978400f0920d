"""A store that somebody gives: found by name, built, checked, and called so that it can be told where it is.

It may be a class, a factory or an instance; have the five methods of a backend or the paper's six; and be written with
`async def`.
"""

import asyncio
import importlib
import importlib.util
import inspect
import math
import sys
import threading
from collections.abc import Callable, Coroutine, Mapping, Sequence
from importlib.metadata import entry_points
from itertools import islice
from pathlib import Path
from typing import Any

from forgeteval.errors import UserError
from forgeteval.files import real
from forgeteval.stores.contract import CLAIMED, Adapter, Backend, Claim, Hit, not_offered, offers
from forgeteval.stores.controls import Null
from forgeteval.stores.policies import POLICIES, ComposedAdapter

ENTRY_POINTS = "forgeteval.stores"
"""Group of entry points under which a package can offer its store by a short name."""
BACKEND_METHODS = ("add", "search")
ADAPTER_METHODS = ("inscribe", "recall_texts", "supersede", "release", "purge")
UNIFORM: Mapping[str, str] = {"supersede": "best_match", "release": "largest_gap", "purge": "equal_text"}
"""How a store's mutations are composed unless something else is asked for (the contract `uniform`)."""
Mark = Callable[[str], None]
"""Is told the name of each method of the store before it is called."""


def find_store(name: str) -> Any:
    """What `module:Class`, `file.py:Class` or an entry point of the group `forgeteval.stores` names.

    Modules of the current folder are found too.

    Raises:
        UserError: where there is none.
    """
    module, colon, attribute = name.partition(":")
    if not colon:
        offered = {point.name: point for point in entry_points(group=ENTRY_POINTS)}
        if name not in offered:
            known = f"; installed packages offer {', '.join(sorted(offered))}" if offered else ""
            raise UserError(f"{name}: name it as module:Class or file.py:Class{known}")
        return offered[name].load()
    if not attribute:
        raise UserError(f"{name}: names no class; name it as module:Class or file.py:Class")
    found: Any = _module(module)
    for part in attribute.split("."):
        if not hasattr(found, part):
            raise UserError(f"{name}: {module} has no {part}; {_alike(found)}")
        found = getattr(found, part)
    return found


def _module(name: str) -> Any:
    if name.endswith(".py"):
        path = Path(name)
        if not path.is_file():
            raise UserError(f"{name}: there is no such file; give its path")
        if "." in path.stem:
            free = path.with_name(f"{path.stem.replace('.', '_')}.py")
            raise UserError(f"{name}: Python imports no file with a further dot in its name; rename it, such as {free}")
        path = path.absolute()  # A module may go to another folder.
        sys.path.insert(0, str(path.parent))
        try:
            found = _imported(path.stem)
        except ImportError as error:
            if "relative import" not in str(error):
                raise
            top = path.parent
            while (top.parent / "__init__.py").is_file():
                top = top.parent
            module = ".".join(path.relative_to(top.parent).with_suffix("").parts)
            raise UserError(
                f"{name}: imports from its package ({error}); name it {module}:Class, in the folder {top.parent}"
            ) from error
        if real(Path(found.__spec__.origin)) != real(path):
            raise UserError(f"{name}: another module named {path.stem} is imported in its place; rename the file")
        return found
    if not all(part.isidentifier() for part in name.split(".")):
        raise UserError(f"{name or 'nothing'}: not the name of a module; name it as module:Class or file.py:Class")
    elif (here := str(Path.cwd())) not in sys.path:
        sys.path.insert(0, here)
    return _imported(name)


def _imported(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is not None and f"{name}.".startswith(f"{error.name}."):
            raise UserError(f"{name}: there is no module of this name here; run in its folder or install it") from error
        raise UserError(
            f"{name}: needs the package {error.name}, which {sys.executable} does not have; install it there"
        ) from error


def _alike(module: Any) -> str:
    classes = [name for name, found in vars(module).items() if inspect.isclass(found) and not name.startswith("_")]
    own = [name for name in classes if getattr(module, name).__module__ == getattr(module, "__name__", None)]
    file = getattr(getattr(module, "__spec__", None), "origin", None)
    said = f"its classes are {', '.join(own)}" if own else "it has no class"
    return f"{said}; its file is {file}" if file else said


def check_policies(policies: Mapping[str, str]) -> None:
    """Raise UserError for an operation or a policy that does not exist."""
    for operation, policy in policies.items():
        if operation not in POLICIES:
            raise UserError(f"policy {operation}={policy}: no operation {operation!r}; known: {', '.join(POLICIES)}")
        if not isinstance(policy, str) or policy not in POLICIES[operation]:
            known = ", ".join(POLICIES[operation])
            raise UserError(f"policy {operation}={policy}: no policy {policy!r}; {operation} has {known}")


def wants_vectors(store: Any) -> bool:
    """Whether a class or factory asks for an embedder, by a parameter of that name."""
    return "embedder" in _parameters(store)


def build_store(
    store: Any, policies: Mapping[str, str] = UNIFORM, embedder: Any = None, mark: Mark = lambda method: None
) -> Adapter:
    """The adapter of a store that somebody gives.

    Args:
        store: a class, a factory or an instance; a class or factory is called with `embedder` if it has that parameter.
        policies: one for each mutation that is composed; a store with the paper's six methods needs none.

    Raises:
        UserError: where it lacks a method.
    """
    builds = inspect.isclass(store) or not _is_store(store)
    if builds and not callable(store):
        raise UserError(f"{name_of(store)} is no store; give a class, a factory, or an instance with a store's methods")

    loop = Loop()

    def build() -> Any:
        return loop.result(store(**({"embedder": embedder} if wants_vectors(store) else {}))) if builds else store

    mark("the constructor")
    built = build()
    if isinstance(built, Null):
        return built  # A control of ours, of which the oracle is told the gold memories.
    if inspect.isclass(built):
        raise UserError(f"{name_of(store)} returns the class {name_of(built)}; name that, or return a store of it")
    given = Given(built, build if builds else None, loop, mark)
    if has_six_methods(built):
        return given
    returns = "" if inspect.isclass(store) or not builds else f" returns {_a(built)}, which"
    check_methods(built, f"{name_of(store)}{returns}")
    if not offers(built, "reset") and not builds:
        raise UserError(f"{name_of(store)} has no reset; give the class, so that each case gets a new one")
    return ComposedAdapter(given, policies, composes_scopes=True)


def check_methods(store: object, name: str) -> None:
    """Raise UserError for a store that lacks a method without which nothing can be composed."""
    lacking = [method for method in BACKEND_METHODS if not offers(store, method)]
    if lacking:
        needed = "reset, add, search, delete and close, or the paper's six"
        raise UserError(f"{name} has no {' and no '.join(lacking)}; a store has the methods {needed}")


def has_six_methods(store: object) -> bool:
    """Whether a store has the mutations of the paper itself."""
    return all(callable(getattr(store, name, None)) for name in ADAPTER_METHODS)


def name_of(store: Any) -> str:
    """What people read for a store."""
    if isinstance(store, str):
        return store
    named = store if inspect.isclass(store) or inspect.isroutine(store) else type(store)
    return str(getattr(named, "__qualname__", named))


def _is_store(store: Any) -> bool:
    return has_six_methods(store) or any(offers(store, name) for name in BACKEND_METHODS)


def _parameters(store: Any) -> Mapping[str, Any]:
    if not callable(store):
        return {}
    try:
        return inspect.signature(store).parameters
    except (TypeError, ValueError):
        return {}


class Given(Backend):
    """A store of somebody else's: whatever it lacks is done without, and what it returns is checked.

    Args:
        build: makes a new one for each case, if it cannot be reset; None where that is not possible.
        loop: where `build` awaited what it made.
    """

    def __init__(
        self, store: Any, build: Callable[[], Any] | None, loop: "Loop", mark: Mark = lambda method: None
    ) -> None:
        self._store, self._build, self._loop, self._mark = store, build, loop, mark
        self._used = False
        self.not_offered = not_offered(store)

    def offers(self, name: str) -> bool:
        return offers(self._store, name)

    def reset(self) -> None:
        if offers(self._store, "reset"):
            self._call("reset")
        elif self._build is not None and self._used:
            self._close_store()
            self._mark("the constructor")
            self._store = self._build()
        self._used = True

    def inscribe(self, texts: Sequence[str]) -> None:
        self._call("inscribe", list(texts))

    def recall_texts(self, query: str, k: int) -> list[str]:
        recalled = self._call("recall_texts", query, k)
        texts = _listed("recall_texts", recalled, k)
        for text in texts:
            if not isinstance(text, str):
                raise TypeError(f"recall_texts returned a list with {_a(text)} in it; return the memories' texts")
        return texts

    def supersede(self, query: str, text: str) -> None:
        self._call("supersede", query, text)

    def release(self, query: str) -> None:
        self._call("release", query)

    def purge(self, query: str) -> None:
        self._call("purge", query)

    def add(self, texts: Sequence[str]) -> None:
        self._call("add", list(texts))

    def search(self, query: str, k: int) -> list[Hit]:
        hits = self._call("search", query, k)
        return [_hit(hit) for hit in _listed("search", hits, k)]

    def delete(self, id: str | int) -> None:
        if not offers(self._store, "delete"):
            raise NotImplementedError("it cannot delete")
        self._call("delete", id)

    def close(self) -> None:
        try:
            self._close_store()
        finally:
            self._loop.stop()

    def _close_store(self) -> None:
        if offers(self._store, "close"):
            self._call("close")

    def edit(self, id: str | int, text: str) -> None:
        self._call("edit", id, text)

    def delete_ids(self, ids: Sequence[str | int]) -> None:
        self._call("delete_ids", list(ids))

    def release_ids(self, ids: Sequence[str | int]) -> None:
        self._call("release_ids", list(ids))

    def supersede_id(self, id: str | int, text: str) -> None:
        self._call("supersede_id", id, text)

    def reset_to(self, texts: Sequence[str]) -> None:
        self._call("reset_to", list(texts))

    def enter(self, owners: Sequence[str]) -> None:
        self._call("enter", list(owners))

    def open(self, folder: Path) -> None:
        self._call("open", folder)

    def shut(self) -> None:
        self._call("shut")

    def compact(self) -> None:
        self._call("compact")

    def reads(self, id: str | int) -> Mapping[str, str]:
        read = self._call("reads", id)
        if not isinstance(read, Mapping):
            raise TypeError(f"reads returned {_a(read)}; return a dict with a text for each read")
        for text in (*read, *read.values()):
            if not isinstance(text, str):
                raise TypeError(f"reads returned a dict with {_a(text)} in it; give what each read returns as one text")
        return read

    def claim(self) -> Claim:
        claim = self._call("claim")
        if not isinstance(getattr(claim, "gone", None), bool) or getattr(claim, "of", None) not in CLAIMED:
            expected = "Claim(gone, of, words), with gone True or False, and of 'reads' or 'files'"
            raise TypeError(f"claim returned {claim!r:.80}; return {expected}")
        return Claim(claim.gone, claim.of, claim.words)

    def past(self, query: str, k: int) -> list[str]:
        return _listed("past", self._call("past", query, k))

    def work(self) -> None:
        self._call("work")

    def stored_bytes(self) -> bytes:
        stored = self._call("stored_bytes")
        if not isinstance(stored, bytes | bytearray):
            raise TypeError(f"stored_bytes returned {_a(stored)}; return bytes")
        return bytes(stored)

    def _call(self, name: str, *arguments: Any) -> Any:
        self._mark(name)
        came = self._loop.result(getattr(self._store, name)(*arguments))
        if inspect.isgenerator(came) or inspect.isasyncgen(came):
            raise TypeError(
                f"{name} returned {_a(came)}, of which nothing ran; return a list or nothing, without yield"
            )
        return came


class Loop:
    """An event loop in a thread of its own, so that a store's clients live on from call to call, in a notebook too; it
    begins with the first result that has to be awaited."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None

    def _begun(self) -> asyncio.AbstractEventLoop:
        runner = asyncio.Runner(loop_factory=asyncio.new_event_loop)
        loop = runner.get_loop()

        def turn() -> None:
            with runner:  # which cancels, at the end, what the store has left under way
                loop.run_forever()

        threading.Thread(target=turn, daemon=True).start()
        return loop

    def stop(self) -> None:
        """End the loop and its thread; nothing waits for them."""
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._loop = None

    def result(self, came: Any) -> Any:
        """What a call gave, once it is there."""
        if not inspect.isawaitable(came):
            return came

        async def awaited() -> Any:
            return await came

        self._loop = self._loop or self._begun()
        coroutine: Coroutine[Any, Any, Any] = awaited()
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result()


def _listed(method: str, returned: Any, k: int | None = None) -> list[Any]:
    """What was returned as a list, of at most k, whatever its class says of its length."""
    if not isinstance(returned, Sequence) or isinstance(returned, str | bytes):
        raise TypeError(f"{method} returned {_a(returned)}; return a list")
    found = list(islice(returned, k and k + 1))
    if k is not None and len(found) > k:
        number = max(len(returned), len(found))
        raise ValueError(f"{method} returned {number} memories where {k} were asked for; return at most k")
    return found


def _hit(hit: Any) -> Hit:
    try:
        id, text, score = hit.id, hit.text, hit.score
    except AttributeError:
        problem = f"search returned a list with {_a(hit)} in it"
        raise TypeError(f"{problem}; return forgeteval.Hit(id, text, score) for each memory") from None
    if not isinstance(text, str):
        raise TypeError(f"search returned a Hit whose text is {_a(text)}; give the memory's text")
    try:
        number = math.nan if isinstance(score, str | bytes) else float(score)
    except (OverflowError, TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        shown = str(score)[:9] if isinstance(score, float) else _a(score)
        raise ValueError(
            f"search returned a Hit whose score is {shown}; give a finite number, higher for a better match"
        )
    return Hit(id, text, number)


def _a(value: Any) -> str:
    name = type(value).__name__
    return "None" if value is None else f"{'an' if name[0] in 'aeiou' else 'a'} {name}"
