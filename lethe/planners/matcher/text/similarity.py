"""The embedder as the matcher sees it."""

from collections.abc import Callable, Sequence

Similarity = Callable[[str, Sequence[str]], list[float]]
"""Maps a text and other texts to the cosine similarity of each of these to the text."""
