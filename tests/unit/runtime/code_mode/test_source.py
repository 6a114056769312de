from __future__ import annotations

import pytest

from codemode.runtime.code_mode.source import unfence


@pytest.mark.spec("CODE_MODE 2.6")
@pytest.mark.parametrize(
    "text",
    [
        "```python\nprint(1)\n```",
        "```\nprint(1)\n```",
        "\n  ```py\r\nprint(1)\r\n```  \n",
        "~~~python\nprint(1)\n~~~",
        "````python\nprint(1)\n````",
    ],
)
def test_a_fence_around_the_program_is_removed(text: str) -> None:
    assert unfence(text).rstrip("\r\n") == "print(1)"


@pytest.mark.spec("CODE_MODE 2.6")
@pytest.mark.parametrize(
    "text",
    [
        "print(1)\n",
        "text = '''\n```python\nprint(1)\n```\n'''\n",
        "```python\nprint(1)\n",
        "x = 1\n```python\nprint(1)\n```",
        "",
    ],
)
def test_a_text_that_is_not_one_fence_is_left_alone(text: str) -> None:
    assert unfence(text) == text


def test_a_fence_inside_a_fenced_program_stays() -> None:
    body = "doc = '''\n```\nx\n```\n'''\nprint(doc)\n"
    assert unfence(f"````python\n{body}````") == body
