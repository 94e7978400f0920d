"""The loopback OpenAI-compatible server: embeddings by our embedder, chat that is cached, capped and logged."""
