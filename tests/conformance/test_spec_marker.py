"""The report of untested behaviours finds what is there and what is not."""

from __future__ import annotations

import spec_index


def test_every_document_of_the_specification_is_indexed() -> None:
    assert {ref.split()[0] for ref in spec_index.load()} == set(spec_index.DOCUMENTS)


def test_the_report_names_the_behaviours_that_no_test_proves() -> None:
    index = spec_index.load()
    proven, *rest = index
    text = spec_index.report({proven: {"tests/x.py::test_it"}})
    assert f"no test: {proven} " not in text
    assert all(f"no test: {ref} " in text for ref in rest)
