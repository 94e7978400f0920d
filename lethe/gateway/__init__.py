"""The OpenAI-compatible server on loopback: embeddings, and chat that is cached, capped and logged."""
