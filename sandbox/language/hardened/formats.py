"""Formatting that follows attributes named in text, other than `str.format` itself.

Where the text comes from an object of the program's, it is read once and vetted as it was read.
"""

from __future__ import annotations

import collections
import logging
import string
from typing import Any, Final

from codemode.sandbox.language import formatting, hooks
from codemode.sandbox.language.spelling import exact


def get_field(_: Any, self: string.Formatter, field_name: str, args: Any, kwargs: Any) -> Any:
    """What a replacement field names, for `string.Formatter` and its heirs."""
    first, rest = formatting.split_field(exact(field_name))
    value = self.get_value(first, args, kwargs)
    for is_attribute, part in rest:
        value = hooks.guarded_getattr(value, part) if is_attribute else value[part]
    return value, first


def user_string_format(original: Any, self: Any, *args: Any, **kwargs: Any) -> Any:
    """`UserString.format` and `format_map`, of what its text is now."""
    return original(collections.UserString(formatting.vet(exact(str(self)))), *args, **kwargs)


def handler_format(_: Any, self: Any, record: Any) -> Any:
    """As `logging.Handler.format`, whose formatter may be a text."""
    return formatting.method(self.formatter or _PLAIN, "format")(record)


def style_of_formatter(_: Any, self: Any, record: Any) -> Any:
    """As `logging.Formatter.formatMessage`, whose style may be a text."""
    return formatting.method(self._style, "format")(record)


def buffer_format(_: Any, self: Any, records: Any) -> str:
    """As `logging.BufferingFormatter.format`, whose formatter of lines may be a text."""
    if not len(records):
        return ""
    lines = [formatting.method(self.linefmt, "format")(record) for record in records]
    return "".join((self.formatHeader(records), *lines, self.formatFooter(records)))


_PLAIN: Final = logging.Formatter()


def style_init(original: Any, self: Any, fmt: Any, *args: Any, **keywords: Any) -> None:
    """The text of a `{`-style of `logging`, vetted when it is given."""
    # Later an error would be caught by the logging, which prints the record instead.
    original(self, formatting.vet(exact(fmt)) if fmt else fmt, *args, **keywords)


def style_format(_: Any, self: Any, record: Any) -> Any:
    """The text of a `{`-style, vetted again when it is used."""
    # Read once: an heir may answer otherwise the next time.
    pattern, defaults = formatting.vet(exact(self._fmt)), self._defaults
    return pattern.format(**({**defaults, **record.__dict__} if defaults else record.__dict__))
