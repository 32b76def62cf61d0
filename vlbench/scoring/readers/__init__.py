"""Readers turn a reply into an answer. Get one by name from `vlbench.scoring.readers.registry`."""
