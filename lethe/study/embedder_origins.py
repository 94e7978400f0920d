"""Where the embedders come from and which languages they know, for the table of embedders."""

from pathlib import Path

from lethe.config.model import Config
from lethe.embedding.minilm import MODEL_NAME, WEIGHTS_PACKAGE
from lethe.environments.wheels import pinned
from lethe.study.setup import Setup


def embedder_origins(config: Config, setup: Setup, locks: Path) -> list[tuple[str, str, str]]:
    """Name, source and languages of the configured embedder, then of each further one that runs.

    Args:
        locks: folder of the locks of further embedders; one from the model hub has none.
    """
    is_packaged = config.embedder == Path(MODEL_NAME).name
    own = (WEIGHTS_PACKAGE, "English") if is_packaged else ("model hub", "")
    further = {name: config.embedders[name] for name in setup.embedder_ablation.embedders_to_run()}
    return [
        (setup.embedder, *own),
        *(
            (name, "model hub" if each.hub is not None else pinned(locks / f"{name}.lock"), each.languages)
            for name, each in further.items()
        ),
    ]
