"""The store as a server of the Model Context Protocol, on its official SDK (`mcp`).

An agent remembers, recalls, asks why, and forgets in two steps: `forget` only shows what would be erased and gives a
token, and `confirm_forget` erases exactly that. Whose memories these are is the server's choice (`Store.within`), and
no tool can change it.
"""

import asyncio
import contextlib
import functools
import inspect
import json
import secrets
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import astuple
from typing import Annotated, Any, Literal

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import CallToolResult, TextContent, ToolAnnotations
from pydantic import BeforeValidator, ConfigDict, Field, ValidationError, with_config
from pydantic_core import PydanticCustomError
from typing_extensions import TypedDict

from lethe.store import __version__
from lethe.store.errors import LetheError, NothingMeets
from lethe.store.graph import Added, Deletion, Entity, Graph, KnowledgeGraph, Observations, Relation
from lethe.store.history import moment
from lethe.store.mcp_stdio import streams
from lethe.store.memories import Memory
from lethe.store.receipts import PurgeReceipt
from lethe.store.scope import EVERYTHING
from lethe.store.store import Store

TOKEN_SECONDS = 600.0
"""How long a token of `forget` can be used."""
_MOST_TOKENS = 1000
_MOST_RECEIPTS = 1000
_PATIENCE = 5
"""How many seconds requests under way have left when a server over HTTP is told to end."""
_MOMENTS = ("told_at", "superseded_at", "expires_at")
_READS = ToolAnnotations(read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False)
_ADDS = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=False)
_ERASES = ToolAnnotations(read_only_hint=False, destructive_hint=True, idempotent_hint=True, open_world_hint=False)
_ERASES_ONCE = ToolAnnotations(
    read_only_hint=False, destructive_hint=True, idempotent_hint=False, open_world_hint=False
)
_INSTRUCTIONS = (
    "A memory that forgets. Say a fact in one sentence to remember it; give the id of what it replaces. To forget, call"
    " forget, show its list to the person, and call confirm_forget with its token only if they agree."
)


def _no_flag(given: object) -> object:
    if isinstance(given, bool):
        raise PydanticCustomError("number", "Input should be a number, not true or false")
    return given


_NO_FLAG = BeforeValidator(_no_flag)
Whole = Annotated[int, _NO_FLAG]
Days = Annotated[float, _NO_FLAG, Field(gt=0)]
Id = Annotated[Whole, Field(description="the number of a memory, as remember and recall give it")]

# What an argument holds has no more keys than its schema either.
for _shape in (Entity, Relation, Observations, Deletion):
    with_config(ConfigDict(extra="forbid"))(_shape)


class Told(TypedDict):
    """A memory as the client sees it; times in seconds since the epoch."""

    id: int
    text: str
    source: str | None
    session: str | None
    expires_at: float | None


class Found(TypedDict):
    """What a recall found, best first."""

    memories: list[dict[str, Any]]


class Step(TypedDict):
    """One memory of a line; no text once it is erased, nor who told it and why."""

    id: int
    text: str | None
    told_at: float
    superseded_at: float | None
    actor: str | None
    reason: str | None


class Reason(TypedDict):
    """A memory, and what led to it, oldest first."""

    memory: Told
    line: list[Step]


class Preview(TypedDict):
    """What would be erased, the token that erases it, and for how many seconds that holds."""

    memories: list[Told]
    token: str
    seconds: float


class Entities(TypedDict):
    """Entities that were created."""

    entities: list[Entity]


class Relations(TypedDict):
    """Relations that were created."""

    relations: list[Relation]


class Additions(TypedDict):
    """What was added to entities."""

    results: list[Added]


class Success(TypedDict):
    """That something was done."""

    success: bool
    message: str


class _Tokens:
    """What previews showed, each until it is confirmed, once, or its time is over."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._shown: dict[str, tuple[float, tuple[int, ...]]] = {}
        self._using = threading.Lock()

    def give(self, memory_ids: Sequence[int]) -> str:
        token = secrets.token_urlsafe(18)
        with self._using:
            while len(self._shown) >= _MOST_TOKENS:
                del self._shown[next(iter(self._shown))]
            self._shown[token] = (self._clock() + TOKEN_SECONDS, tuple(memory_ids))
        return token

    def take(self, token: str) -> tuple[int, ...]:
        """What the token was given for; `ValueError` if it was used, is too old, or never was."""
        with self._using:
            until, memory_ids = self._shown.pop(token, (0.0, ()))
        if self._clock() >= until:
            raise ValueError("this token was used, is too old or was never given; call forget again")
        return memory_ids


class _Receipts:
    """The receipts of what this server has erased, as long as there are not too many later ones.

    The file does not tell whose an erased memory was, so that a store within a scope gives none of its receipts again.
    """

    def __init__(self) -> None:
        self._given: deque[PurgeReceipt] = deque(maxlen=_MOST_RECEIPTS)

    def keep(self, receipt: PurgeReceipt) -> None:
        self._given.append(receipt)

    def of(self, memory_id: int | None) -> PurgeReceipt:
        """That of the latest erasure, or of the one of this memory; `LookupError` if there is none."""
        for receipt in reversed(list(self._given)):
            if memory_id is None or memory_id in receipt.memory_ids:
                return receipt
        erased = "nothing" if memory_id is None else f"no memory {memory_id}"
        raise LookupError(f"this server has erased {erased} since it was started; `lethe receipt` knows older receipts")


class _Server(MCPServer[Any]):
    """A server that tells what is wrong with arguments in one line, without repeating them."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.arguments: dict[str, list[str]] = {}

    async def call_tool(self, name: str, arguments: dict[str, Any], *given: Any, **named: Any) -> Any:
        known = self.arguments.get(name)
        unknown = [] if known is None else [each for each in arguments if each not in known]
        if unknown:
            told = f"no argument {', '.join(map(repr, unknown))}; it takes {', '.join(known or []) or 'none'}"
            raise ToolError(f"Error executing tool {name}: {told}")
        try:
            return await super().call_tool(name, arguments, *given, **named)
        except ToolError as error:
            wrong = error.__cause__
            if not isinstance(wrong, ValidationError):
                raise
            told = "; ".join(f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in wrong.errors())
            raise ToolError(f"Error executing tool {name}: {told}") from wrong

    async def list_tools(self) -> list[Any]:
        listed: list[Any] = await super().list_tools()
        for tool in listed:
            tool.input_schema["additionalProperties"] = False
        return listed

    async def run_stdio_async(self) -> None:
        async with streams() as (messages, answers):
            options = self._lowlevel_server.create_initialization_options()
            await self._lowlevel_server.run(messages, answers, options)

    async def run_streamable_http_async(self, *given: Any, host: str, **named: Any) -> None:
        """As the SDK does it, but a client that never sends the rest of its request does not keep it from ending."""
        import uvicorn

        served = self.streamable_http_app(host=host)

        async def app(scope: Any, receive: Any, send: Any) -> None:
            # What is cancelled at the end is told by the server in a line, and else with a traceback.
            with contextlib.suppress(asyncio.CancelledError):
                await served(scope, receive, send)

        config = uvicorn.Config(
            app,
            host=host,
            log_level=self.settings.log_level.lower(),
            timeout_graceful_shutdown=_PATIENCE,
            **named,
        )
        await uvicorn.Server(config).serve()


def server(
    store: Store, *, tools: Literal["memory", "graph"] = "memory", clock: Callable[[], float] = time.monotonic
) -> Any:
    """The server of a store, an `mcp` `MCPServer`: `run()` serves it.

    `tools`: "memory", or "graph" for those of the reference memory server (create_entities, …, open_nodes).
    """
    # At the level INFO the SDK logs what tools refuse, and that may name memories.
    instructions = _INSTRUCTIONS if tools == "memory" else None
    made = _Server("lethe", instructions=instructions, version=__version__, log_level="WARNING")
    if tools == "memory":
        _add_memory(made, store, _Tokens(clock))
    else:
        _add_graph(made, Graph(store))
    return made


def _tool(made: Any, annotations: ToolAnnotations) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a function as a tool; what the caller can put right becomes a tool error."""

    def register(work: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(work)
        def told(*given: Any, **named: Any) -> Any:
            try:
                return work(*given, **named)
            except (LetheError, LookupError, TypeError, ValueError) as error:
                raise ToolError(str(error.args[0] if error.args else error)) from error

        made.tool(annotations=annotations)(told)
        made.arguments[work.__name__] = list(inspect.signature(work).parameters)
        return told

    return register


def _add_memory(made: Any, store: Store, tokens: _Tokens) -> None:
    receipts = _Receipts()

    @_tool(made, _ADDS)
    def remember(
        text: Annotated[str, Field(description="the fact, in a sentence that can be understood by itself")],
        source: Annotated[str | None, Field(description="where it comes from; not with replaces")] = None,
        replaces: Annotated[
            Whole | None,
            Field(description="the id of the memory that is not true any more, whose source and end the fact takes"),
        ] = None,
        days: Annotated[Days | None, Field(description="after how many days it expires; not with replaces")] = None,
    ) -> Told:
        """Remember a fact. What it replaces is no longer recalled, and why tells it."""
        within = store if source is None else store.within(source=source)
        if replaces is None:
            id = within.inscribe(text, ttl=None if days is None else 86_400.0 * days)
        elif source is not None or days is not None:
            raise ValueError("what replaces a memory keeps its source and its end: give neither")
        else:
            id = store.supersede(replaces, text)
        return _told(store.memory(id))

    @_tool(made, _READS)
    def recall(
        query: Annotated[str, Field(description="what to look for")],
        k: Annotated[Whole, Field(description="how many at most", ge=1, le=100)] = 10,
    ) -> Found:
        """The memories that answer a question best."""
        found = store.recall(query, k)
        return Found(memories=[{"id": each.memory_id, "text": each.text, "score": each.score} for each in found])

    @_tool(made, _READS)
    def why(id: Id) -> Annotated[CallToolResult, Reason]:
        """Where a memory comes from: its source and session, and the line of memories that it replaced."""
        line = [
            Step(id=n, text=text, told_at=at, superseded_at=until, actor=actor, reason=reason)
            for n, text, at, until, actor, reason in map(astuple, store.blame(id))
        ]
        reason = Reason(memory=_told(store.memory(id)), line=line)
        text = TextContent(type="text", text=json.dumps(_dated(reason), ensure_ascii=False, indent=2))
        return CallToolResult(content=[text], structured_content=dict(reason))

    @_tool(made, _READS)
    def forget(
        ids: Annotated[list[Whole] | None, Field(description="the memories to erase")] = None,
        query: Annotated[str | None, Field(description="or the text to erase, as it stands or nearly so")] = None,
    ) -> Preview:
        """Show what would be erased, with what it replaced and what was made of it; give a token for confirm_forget."""
        if (ids is None) == (query is None):
            raise ValueError("give either ids or a query")
        doomed = _meant_by(store, query) if query is not None else _named(store, ids or [])
        token = tokens.give([memory.memory_id for memory in doomed])
        return Preview(memories=[_told(memory) for memory in doomed], token=token, seconds=TOKEN_SECONDS)

    @_tool(made, _ERASES_ONCE)
    def confirm_forget(token: Annotated[str, Field(description="the token that forget gave")]) -> dict[str, Any]:
        """Erase exactly what forget showed, for good, and give the receipt. A token is good for one use."""
        shown = tokens.take(token)
        with store.transaction() as erased:
            if {memory.memory_id for memory in store.line(shown)} != set(shown):
                raise ValueError("what would be erased is not what was shown any more; call forget again")
            store.purge_many(shown, with_line=True)
        receipts.keep(erased[0])
        return _receipt(erased[0])

    @_tool(made, _READS)
    def receipt(
        id: Annotated[Whole | None, Field(description="one that was erased; without it, the latest erasure")] = None,
    ) -> dict[str, Any]:
        """The receipt of an erasure again; of a server for one owner, of those since it was started."""
        if store._scope == EVERYTHING:
            return _receipt(store.receipt_of(id))
        return _receipt(store.complete(receipts.of(id)))


def _meant_by(store: Store, query: str) -> list[Memory]:
    """What would be erased of what a query means, with its line."""
    try:
        found = store.selected(query, "purge", with_line=True)
    except NothingMeets as error:
        raise LookupError(error.found + ("; call forget with its id" if error.candidates else "")) from error
    if not found:
        raise LookupError("nothing would be erased")
    return found


def _named(store: Store, ids: Sequence[int]) -> list[Memory]:
    """What would be erased of these memories, with their line; of one owner's, others that were erased are unknown."""
    found = store.line(ids)
    if ids and not found and store._scope != EVERYTHING:
        raise LookupError(f"there is no memory {ids[0]}")
    if not found:
        raise LookupError(f"nothing would be erased{'; receipt gives the receipt of what was' if ids else ''}")
    return found


def _told(memory: Memory) -> Told:
    return Told(
        id=memory.memory_id,
        text=memory.text,
        source=memory.source,
        session=memory.session,
        expires_at=memory.expires_at,
    )


def _dated(content: Any) -> Any:
    """The same with its moments as people read them."""
    if isinstance(content, list):
        return [_dated(each) for each in content]
    if not isinstance(content, dict):
        return content
    return {
        name: moment(value) if name in _MOMENTS and value is not None else _dated(value)
        for name, value in content.items()
    }


def _receipt(given: PurgeReceipt) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(given.to_json())
    return content


def _add_graph(made: Any, graph: Graph) -> None:
    @_tool(made, _ADDS)
    def create_entities(entities: list[Entity]) -> Entities:
        """Create multiple new entities in the knowledge graph."""
        return Entities(entities=graph.create_entities(entities))

    @_tool(made, _ADDS)
    def create_relations(relations: list[Relation]) -> Relations:
        """Create multiple new relations between entities in the knowledge graph, in active voice."""
        return Relations(relations=graph.create_relations(relations))

    @_tool(made, _ADDS)
    def add_observations(observations: list[Observations]) -> Additions:
        """Add new observations to existing entities in the knowledge graph."""
        return Additions(results=graph.add_observations(observations))

    @_tool(made, _ERASES)
    def delete_entities(entityNames: list[str]) -> Success:
        """Erase entities and their relations from the knowledge graph, for good."""
        graph.delete_entities(entityNames)
        return Success(success=True, message="Entities deleted successfully")

    @_tool(made, _ERASES)
    def delete_observations(deletions: list[Deletion]) -> Success:
        """Erase observations of entities in the knowledge graph, for good."""
        graph.delete_observations(deletions)
        return Success(success=True, message="Observations deleted successfully")

    @_tool(made, _ERASES)
    def delete_relations(relations: list[Relation]) -> Success:
        """Erase relations from the knowledge graph, for good."""
        graph.delete_relations(relations)
        return Success(success=True, message="Relations deleted successfully")

    @_tool(made, _READS)
    def read_graph() -> KnowledgeGraph:
        """Read the entire knowledge graph."""
        return graph.read()

    @_tool(made, _READS)
    def search_nodes(query: str) -> KnowledgeGraph:
        """Search for nodes whose name, type or observations hold the query."""
        return graph.search(query)

    @_tool(made, _READS)
    def open_nodes(names: list[str]) -> KnowledgeGraph:
        """Open nodes of the knowledge graph by their names."""
        return graph.open(names)

    def knowledge_graph() -> str:
        """The full knowledge graph with all entities and relations."""
        return json.dumps(graph.read(), ensure_ascii=False)

    name = "knowledge-graph"
    made.resource(f"memory://{name}", name=name, mime_type="application/json")(knowledge_graph)
