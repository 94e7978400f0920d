"""Chat models that run on this machine: their weights, the server that answers for them, and who shares it."""
