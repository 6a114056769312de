"""The file toolset: confinement, read before edit, intents, and the way back."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from logged import data_of, kinds
from loop_harness import scripted

from codemode import ToolRuntime
from codemode.runtime.attachments import MemoryAttachmentStore
from codemode.runtime.execution import Execution
from codemode.runtime.log.stores.memory import MemoryStore
from codemode.runtime.loop import AssistantMessage, Message, call
from codemode.runtime.result import Result
from codemode.runtime.toolsets.files import FileToolset, UndoError
from codemode.sandbox.values import Json
from codemode.sdkgen import ToolSpec
from codemode.testing import check_tool

pytestmark = pytest.mark.anyio


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder with a neighbour that nothing may reach."""
    root = tmp_path / "root"
    (root / "src").mkdir(parents=True)
    (root / "src" / "app.py").write_text("one\ntwo\nthree\n")
    (root / "notes.txt").write_text("two words\n")
    (tmp_path / "secret.txt").write_text("secret")
    return root


class Bench:
    """One toolset mounted on one runtime; calls share a session, as those of a host do."""

    def __init__(self, root: Path, **options: Any) -> None:
        self.files = FileToolset(root, **options)
        self.runtime = ToolRuntime()
        self.files.mount(self.runtime.registry.root)

    async def __call__(self, name: str, /, **arguments: Any) -> Result:
        async with self.runtime:
            return await self.runtime.execute(name, arguments)


@pytest.mark.spec("PIPELINE 15.3")
async def test_a_file_is_read_whole_or_in_part_and_links_inside_are_followed(root: Path) -> None:
    os.symlink("src/app.py", root / "link.py")
    os.symlink("src", root / "folder")
    bench = Bench(root)
    whole: Any = (await bench("read", path="folder/../link.py")).value
    assert (whole["path"], whole["text"], whole["total_lines"]) == (
        "src/app.py",
        "one\ntwo\nthree\n",
        3,
    )
    part = await bench("read", path="src/app.py", start_line=2, max_lines=1)
    assert part.text == "two\n\n[lines 2 to 2 of 3]"


@pytest.mark.spec("PIPELINE 15.3")
@pytest.mark.parametrize(
    "path",
    [
        "../secret.txt",
        "src/../../secret.txt",
        "/etc/passwd",
        "out",
        "up/secret.txt",
        "chain",
        "loop",
        "pipe",
        "src",
        "",
        ".",
        "nul\0",
    ],
)
async def test_no_path_and_no_link_leads_out_and_only_files_are_read(root: Path, path: str) -> None:
    os.symlink(root.parent / "secret.txt", root / "out")
    os.symlink("..", root / "up")
    os.symlink("src/../up/secret.txt", root / "chain")
    os.symlink("loop", root / "loop")
    os.mkfifo(root / "pipe")
    bench = Bench(root)
    for name, extra in (("read", {}), ("write", {"text": "x"}), ("edit", {"old": "a", "new": "b"})):
        result = await bench(name, path=path, **extra)
        assert result.is_error, (name, result.text)
        assert "secret" not in result.text.replace(path, "")
        assert str(root) not in result.text
    assert (root.parent / "secret.txt").read_text() == "secret"


@pytest.mark.spec("PIPELINE 15.3")
async def test_a_folder_that_becomes_a_link_while_it_is_walked_is_not_followed(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The race that a check by name would lose: the name is another thing when it is opened."""
    real = os.readlink

    def swap(name: Any, *, dir_fd: int | None = None) -> str:
        try:
            return str(real(name, dir_fd=dir_fd))
        finally:
            if name == "src" and not (root / "src").is_symlink():
                (root / "src").rename(root / "moved")
                os.symlink(root.parent, root / "src")

    monkeypatch.setattr(os, "readlink", swap)
    result = await Bench(root)("read", path="src/secret.txt")
    assert result.is_error
    assert "secret" not in result.text.replace("src/secret.txt", "")


@pytest.mark.spec("PIPELINE 15.3", "PIPELINE 15.2")
async def test_an_edit_of_what_was_not_read_or_has_changed_is_denied_below_the_tool(
    root: Path, checked_store: MemoryStore
) -> None:
    edit = {"path": "src/app.py", "old": "two", "new": "2"}

    def change(_: Sequence[Message], __: Sequence[ToolSpec]) -> AssistantMessage:
        (root / "src" / "app.py").write_text("one\ntwo\nfour\n")
        return AssistantMessage.of("", call("edit", **edit))

    files = FileToolset(root)
    async with ToolRuntime(log=checked_store) as runtime:
        files.mount(runtime.registry.root)
        model = scripted(
            [call("edit", **edit)],
            [call("read", path="src/app.py")],
            change,
            [
                call("read", path="src/app.py"),
                call("edit", **edit),
                call("edit", path="src/app.py", old="2", new="zwei"),
            ],
        )
        async with runtime.agent(model) as agent:
            turn = await agent.run("edit it")
    codes = [result.code for result in turn.results]
    assert codes == ["DENIED", None, "DENIED", None, None, None]
    assert "was not read in this session" in turn.results[0].text
    assert "has changed since it was read" in turn.results[2].text
    assert (root / "src" / "app.py").read_text() == "one\nzwei\nfour\n"
    decisions = [event["decision"]["outcome"] for event in data_of(checked_store, "fs/edit-intent")]
    assert decisions == ["deny", "deny", "allow", "allow"]
    observed = data_of(checked_store, "fs/observed")
    assert [event["data"]["how"] for event in observed] == ["read", "read", "written", "written"]
    assert all(event["call_id"] for event in observed)
    assert kinds(checked_store).count("fs/changed") == 2


@pytest.mark.spec("PIPELINE 15.3")
async def test_what_another_session_has_read_does_not_count(
    root: Path, checked_store: MemoryStore
) -> None:
    files = FileToolset(root)
    async with ToolRuntime(log=checked_store) as runtime:
        files.mount(runtime.registry.root)
        async with runtime.agent(scripted([call("read", path="notes.txt")])) as agent:
            await agent.run("read")
        async with runtime.agent(scripted([call("write", path="notes.txt", text="mine")])) as agent:
            turn = await agent.run("write")
    assert turn.results[0].code == "DENIED"
    assert (root / "notes.txt").read_text() == "two words\n"


@pytest.mark.spec("PIPELINE 15.2")
async def test_a_host_s_own_subscriber_can_deny_a_write(root: Path) -> None:
    def no_secrets(execution: Execution, intent: str, data: Mapping[str, Json]) -> str | None:
        return "not that one" if intent == "fs/write-intent" and data["path"] == ".env" else None

    bench = Bench(root)
    bench.runtime.registry.root.add("intent", no_secrets)
    assert (await bench("write", path=".env", text="x")).text == "Error: not that one"
    assert not (root / ".env").exists()
    assert not (await bench("write", path="new/deep.txt", text="x")).is_error
    assert (root / "new" / "deep.txt").read_text() == "x"


@pytest.mark.spec("PIPELINE 15.3")
async def test_without_its_rule_nothing_is_written(root: Path) -> None:
    async with ToolRuntime(FileToolset(root).tools) as runtime:
        result = await runtime.execute("write", {"path": "new.txt", "text": "x"})
    assert "read_before_edit is not in force" in result.text
    assert not (root / "new.txt").exists()


@pytest.mark.spec("PIPELINE 15.4")
async def test_every_write_can_be_taken_back_by_digest(root: Path) -> None:
    kept = MemoryAttachmentStore()
    bench = Bench(root, kept=kept)
    (root / "notes.txt").chmod(0o640)
    await bench("read", path="notes.txt")
    await bench("edit", path="notes.txt", old="two", new="three")
    await bench("write", path="notes.txt", text="all new\n")
    await bench("write", path="made.txt", text="made")
    assert (root / "notes.txt").stat().st_mode & 0o777 == 0o640
    edited, written, made = bench.files.changes
    assert made.before_sha256 is None
    for change in (edited, written):
        assert change.before_sha256 is not None
        assert kept.get(change.before_sha256) is not None
    with pytest.raises(UndoError, match="has changed"):
        bench.files.undo(edited)
    for change in (made, written, edited):
        bench.files.undo(change)
    assert (root / "notes.txt").read_text() == "two words\n"
    assert not (root / "made.txt").exists()


@pytest.mark.spec("PIPELINE 15.4")
async def test_what_cannot_be_kept_is_not_overwritten(root: Path) -> None:
    bench = Bench(root, kept=MemoryAttachmentStore(max_bytes=3))
    await bench("read", path="notes.txt")
    result = await bench("write", path="notes.txt", text="x")
    assert "nothing was written" in result.text
    assert (root / "notes.txt").read_text() == "two words\n"


@pytest.mark.spec("PIPELINE 15.3")
async def test_an_edit_says_what_is_wrong_with_its_text(root: Path) -> None:
    (root / "twice.txt").write_text("aa\naa\n")
    bench = Bench(root)
    await bench("read", path="twice.txt")
    assert "has no such text" in (await bench("edit", path="twice.txt", old="b", new="c")).text
    assert "2 times" in (await bench("edit", path="twice.txt", old="aa", new="c")).text
    result = await bench("edit", path="twice.txt", old="aa", new="c", replace_all=True)
    assert result.value["replacements"] == 2  # type: ignore[index, call-overload]
    assert (root / "twice.txt").read_text() == "c\nc\n"


@pytest.mark.spec("PIPELINE 15.3")
async def test_reads_searches_and_writes_are_bounded_and_say_so(root: Path) -> None:
    (root / "big.txt").write_text("x\n" * 60)
    (root / "blob.bin").write_bytes(b"\xff\xfe\0")
    bench = Bench(root, max_file_bytes=100, max_results=2)
    assert "too large: 120 bytes, the most is 100" in (await bench("read", path="big.txt")).text
    assert "is no UTF-8 text" in (await bench("read", path="blob.bin")).text
    assert "101 bytes are too many" in (await bench("write", path="n.txt", text="x" * 101)).text
    found: Any = (await bench("glob", pattern="*")).value
    assert found["truncated"]
    assert len(found["paths"]) == 2
    lines: Any = (await bench("grep", pattern="o", path="src")).value
    assert [match["line"] for match in lines["matches"]] == [1, 2]
    everything: Any = (await bench("grep", pattern="nothing")).value
    assert (everything["files_searched"], everything["files_skipped"]) == (2, 2)


@pytest.mark.spec("PIPELINE 15.4")
async def test_glob_and_grep_honour_ignore_files(root: Path) -> None:
    (root / ".gitignore").write_text("*.log\n/build\n!keep.log\n# comment\n\n[\n")
    (root / "src" / ".ignore").write_text("gen*/\n")
    for name in ("a.log", "keep.log", "build/x.txt", "src/build/y.txt", "src/gen1/z.txt", ".git/c"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("needle\n")
    os.symlink(root.parent, root / "outside")
    bench = Bench(root)
    found: Any = (await bench("glob", pattern="**")).value
    assert found["paths"] == [
        ".gitignore",
        "keep.log",
        "notes.txt",
        "src/.ignore",
        "src/app.py",
        "src/build/y.txt",
    ]
    lines: Any = (await bench("grep", pattern="needle")).value
    assert [match["path"] for match in lines["matches"]] == ["keep.log", "src/build/y.txt"]
    below: Any = (await bench("grep", pattern="NEEDLE", path="src", ignore_case=True)).value
    assert [match["path"] for match in below["matches"]] == ["src/build/y.txt"]
    one: Any = (await bench("grep", pattern="^tw", path="notes.txt", glob="*.txt")).value
    assert one["matches"] == [{"path": "notes.txt", "line": 1, "text": "two words"}]


@pytest.mark.spec("PIPELINE 15.3")
async def test_a_pattern_of_a_model_cannot_stall_the_host(root: Path) -> None:
    (root / "evil.txt").write_text("a" * 50_000 + "!\n")
    bench = Bench(root)
    assert not (await bench("grep", pattern="(a+)+$")).is_error
    assert not (await bench("glob", pattern="*a" * 200)).is_error
    assert "look-around" in (await bench("grep", pattern="(?=a)b")).text
    assert "at most 2000 characters" in (await bench("grep", pattern="a" * 3000)).text


@pytest.mark.spec("PIPELINE 15.3", "PIPELINE 10.1")
def test_read_only_tools_are_concurrency_safe_and_the_others_exclusive(root: Path) -> None:
    safe = {tool.name: tool.is_concurrency_safe for tool in FileToolset(root).tools}
    assert safe == {"read": True, "glob": True, "grep": True, "write": False, "edit": False}


@pytest.mark.spec("PIPELINE 1.8")
@pytest.mark.parametrize(
    ("name", "example"),
    [("read", {"path": "notes.txt"}), ("glob", {"pattern": "*"}), ("grep", {"pattern": "o"})],
)
async def test_the_reading_tools_keep_the_contract_of_authors(
    root: Path, name: str, example: dict[str, Any]
) -> None:
    (tool,) = [tool for tool in FileToolset(root).tools if tool.name == name]
    await check_tool(tool, [example])


async def test_unmounting_takes_tools_and_rule_back(root: Path) -> None:
    files = FileToolset(root)
    runtime = ToolRuntime()
    dispose = files.mount(runtime.registry.root)
    dispose()
    assert "read" not in runtime.registry.root.view()
    assert runtime.registry.root.hooks("intent") == ()
    files.mount(runtime.registry.root)
