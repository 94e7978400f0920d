"""Whether a judge is of the model family of what it judges (paper, section "Adversarial layer", Stage 2)."""


def same_model_family(first: str, second: str) -> bool:
    """Whether two model families are the same, ignoring capitals and surrounding white space."""
    return first.strip().casefold() == second.strip().casefold()
