"""The modules of which the guest has its own version, and what the published page says of them."""

from __future__ import annotations

import pytest

from codemode.sandbox.guest.providers import provide
from codemode.sandbox.language.modules import BY_NAME, OF_THE_GUEST


@pytest.mark.spec("SANDBOX 5.5")
@pytest.mark.parametrize("name", sorted(OF_THE_GUEST))
def test_what_the_page_leaves_out_is_there(name: str) -> None:
    given = provide(name) or {}
    assert set(OF_THE_GUEST[name]) <= set(given)


@pytest.mark.parametrize("name", sorted(set(BY_NAME) - set(OF_THE_GUEST)))
def test_nothing_else_that_is_withheld_comes_from_the_guest(name: str) -> None:
    if name == "os":
        return  # its refusals are functions that say why
    assert set(BY_NAME[name].withheld).isdisjoint(provide(name) or {})
