"""Benchmarks: one workload, recorded once and replayed from memory, so that the node is never what is measured."""
