"""Implementations of `EventStore`."""

__all__: list[str] = []
