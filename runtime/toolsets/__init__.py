"""Ready-made tools for hosts."""

__all__: list[str] = []
