"""Graphiti: a temporal knowledge graph that a chat model writes when a fact is inscribed.

Paper, appendix "Graphiti extended-system evaluation".
"""

import asyncio
import os
from collections.abc import Coroutine, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

from forgeteval.embed.embedder import Embedder
from forgeteval.errors import UserError
from forgeteval.stores.contract import Backend, Hit, Services
from lethe.systems.graphiti_databases import DATABASES

T = TypeVar("T")

_START = datetime(2026, 12, 1, tzinfo=UTC)
"""Start of every case. Prompts contain the time of each episode, and real times would rule out replay."""
_STEP = timedelta(minutes=1)


class GraphitiBackend(Backend):
    """One graph per case; a memory is an edge, its text the fact that the model wrote; scores are reciprocal ranks.

    Args:
        embedder: gives the length of the vectors that Graphiti gets from `services`.
        database: database of the graph, "kuzu" or "falkordb".
        current_only: leave facts that have ended out of search results; Graphiti's own search returns them.
        structured_output: way to ask the model for JSON, "json_schema" or "json_object".
        temperature: temperature of every request.

    Raises:
        UserError: for any other database.
    """

    def __init__(
        self,
        embedder: Embedder,
        services: Services,
        database: str = "kuzu",
        current_only: bool = False,
        structured_output: str = "json_schema",
        temperature: float = 0.0,
    ) -> None:
        # Without PYTHON_DOTENV_DISABLED, Graphiti would read the first .env file above its own folder.
        os.environ |= {
            "GRAPHITI_TELEMETRY_ENABLED": "false",
            "PYTHON_DOTENV_DISABLED": "1",
            "EMBEDDING_DIM": str(embedder.dim),
        }
        from graphiti_core import Graphiti, edges, errors, nodes
        from graphiti_core.cross_encoder import OpenAIRerankerClient
        from graphiti_core.embedder import OpenAIEmbedder, OpenAIEmbedderConfig
        from graphiti_core.llm_client import LLMConfig
        from graphiti_core.llm_client.openai_generic_client import OpenAIGenericClient
        from graphiti_core.prompts import extract_edges, extract_nodes
        from graphiti_core.search import search_config_recipes, search_filters

        if database not in DATABASES:
            raise UserError(f"config/systems.yaml: graphiti has no database {database!r}; use {' or '.join(DATABASES)}")
        _one_episode(extract_nodes.ExtractedEntity, extract_nodes.ExtractedEntities)
        _one_episode(extract_edges.Edge, extract_edges.ExtractedEdges)
        self._graphiti_type: Any = Graphiti
        self._edge_type, self._no_edge = edges.EntityEdge, errors.EdgeNotFoundError
        self._source = nodes.EpisodeType.text
        self._recipe, self._filters = search_config_recipes.EDGE_HYBRID_SEARCH_RRF, search_filters
        asked = LLMConfig(services.token, services.model, services.url, temperature, small_model=services.model)
        llm = OpenAIGenericClient(asked, structured_output_mode=structured_output)
        # The gateway limits and repeats requests.
        llm.client = llm.client.with_options(timeout=None, max_retries=0)
        vectors = OpenAIEmbedderConfig(api_key=services.token, base_url=services.url)
        self._clients = {
            "llm_client": llm,
            "embedder": OpenAIEmbedder(vectors),
            # Required by the constructor; no search of this class uses it.
            "cross_encoder": OpenAIRerankerClient(asked),
        }
        self._current_only = current_only
        self._runner = asyncio.Runner()
        self._database: Any = DATABASES[database]()
        self._graphiti: Any = None
        self.reset()

    def reset(self) -> None:
        self._run(self._reset())

    def add(self, texts: Sequence[str]) -> None:
        for text in texts:
            self._run(self._add(text))

    def search(self, query: str, k: int) -> list[Hit]:
        # Not Graphiti.search, which leaves k in the recipe that add_episode uses to find facts that a new one ends.
        found = self._graphiti.search_(
            query,
            config=self._recipe.model_copy(update={"limit": k}),
            group_ids=[self._group],
            search_filter=self._filter(),
        )
        results = self._run(found)
        scored = zip(results.edges, results.edge_reranker_scores, strict=True)
        return [Hit(edge.uuid, edge.fact, score) for edge, score in scored]

    def delete(self, id: str | int) -> None:
        """Remove the episodes that the edge was written from, and with them all that no other episode supports."""
        self._run(self._delete(str(id)))

    def release_ids(self, ids: Sequence[str | int]) -> None:
        """Mark the facts as ended now, as a contradiction would; the edges stay."""
        self._now += _STEP
        for id in ids:
            self._run(self._end(str(id)))

    def stored_bytes(self) -> bytes:
        stored: bytes = self._run(self._database.stored_bytes())
        return stored

    def close(self) -> None:
        self._run(self._database.drop(self._graphiti.driver))
        self._run(self._database.close())
        self._runner.close()

    def _run(self, call: Coroutine[Any, Any, T]) -> T:
        return self._runner.run(call)

    async def _reset(self) -> None:
        if self._graphiti is not None:
            await self._database.drop(self._graphiti.driver)
        driver, self._group = await self._database.open()
        self._graphiti = self._graphiti_type(graph_driver=driver, **self._clients)
        self._now = _START

    async def _add(self, text: str) -> None:
        self._now += _STEP
        await self._graphiti.add_episode("fact", text, "fact", self._now, self._source, self._group)

    async def _delete(self, id: str) -> None:
        try:
            edge = await self._edge_type.get_by_uuid(self._graphiti.driver, id)
        except self._no_edge:
            return
        for episode in edge.episodes:
            await self._graphiti.remove_episode(episode)

    async def _end(self, id: str) -> None:
        driver = self._graphiti.driver
        edge = await self._edge_type.get_by_uuid(driver, id)
        edge.invalid_at, edge.expired_at = self._now, datetime.now(UTC)
        await edge.load_fact_embedding(driver)
        await edge.save(driver)

    def _filter(self) -> Any:
        if not self._current_only:
            return None
        made = self._filters
        never = made.DateFilter(comparison_operator=made.ComparisonOperator.is_null)
        later = made.DateFilter(date=self._now, comparison_operator=made.ComparisonOperator.greater_than)
        return made.SearchFilters(invalid_at=[[never], [later]])


def _one_episode(item: Any, listing: Any) -> None:
    """Limit the episodes of an extracted item to one in the schema that is sent, as the field's description says.

    A server that makes a grammar of the schema does not show the description: a small model counts without end.
    """
    item.model_fields["episode_indices"].json_schema_extra = {"maxItems": 1}
    for model in (item, listing):
        model.model_rebuild(force=True)
