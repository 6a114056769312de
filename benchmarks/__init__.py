"""Measurements: never part of the suite, always beside a peer or a baseline in the same run."""
