"""Benchmarks of other authors, run on every memory system: Memora, FactConsolidation, LongMemEval-S, LoCoMo."""
