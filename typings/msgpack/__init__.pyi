"""The functions of msgpack that `codemode.sandbox.bridge.wire` uses."""

from collections.abc import Callable

def packb(
    o: object,
    *,
    use_bin_type: bool = ...,
    strict_types: bool = ...,
    unicode_errors: str | None = ...,
    default: Callable[[object], object] | None = ...,
) -> bytes: ...
def unpackb(
    packed: bytes | bytearray | memoryview,
    *,
    raw: bool = ...,
    strict_map_key: bool = ...,
    use_list: bool = ...,
    object_pairs_hook: Callable[[list[tuple[object, object]]], object] | None = ...,
    list_hook: Callable[[list[object]], object] | None = ...,
    ext_hook: Callable[[int, bytes], object] | None = ...,
    max_str_len: int = ...,
    max_bin_len: int = ...,
    max_array_len: int = ...,
    max_map_len: int = ...,
    max_ext_len: int = ...,
) -> object: ...
