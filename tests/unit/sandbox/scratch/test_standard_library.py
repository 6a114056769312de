"""The standard library's own file modules run unmodified on the tree."""

from __future__ import annotations

import bz2
import codecs
import configparser
import csv
import fileinput
import getpass
import glob
import gzip
import io
import json
import linecache
import logging
import lzma
import os
import pickle
import shutil
import stat
import tarfile
import tempfile
import zipfile
from pathlib import Path, PurePosixPath
from typing import Any

import pytest

pytestmark = [pytest.mark.spec("SANDBOX 5.5"), pytest.mark.usefixtures("scratch")]


def test_text_written_is_text_read_back() -> None:
    with open("notes.txt", "w") as file:
        file.write("first\nsecond é\n")
        print("third", file=file)
    with open("notes.txt") as file:
        assert list(file) == ["first\n", "second é\n", "third\n"]
    with open("notes.txt", "a+") as file:
        file.write("fourth")
        file.seek(0)
        assert file.readline() == "first\n"
    assert Path("notes.txt").read_text().endswith("third\nfourth")


def test_a_file_object_describes_itself_as_the_interpreters_do() -> None:
    with open("a.txt", "w") as file:
        assert repr(file) == "<_io.TextIOWrapper name='a.txt' mode='w' encoding='UTF-8'>"
        assert isinstance(file, io.TextIOWrapper)
        assert isinstance(file.buffer.raw, io.FileIO)  # type: ignore[attr-defined]
        assert repr(file.buffer.raw) == "<_io.FileIO name='a.txt' mode='wb' closefd=True>"  # type: ignore[attr-defined]


def test_inputs_are_there_before_the_program_starts() -> None:
    with open("in/a.csv", newline="") as file:
        assert list(csv.DictReader(file)) == [{"x": "1", "y": "2"}]


def test_newlines_and_encodings_are_the_standard_librarys() -> None:
    with open("crlf.txt", "w", newline="\r\n", encoding="utf-16") as file:
        file.write("a\nb\n")
    assert Path("crlf.txt").read_bytes() == "a\r\nb\r\n".encode("utf-16")
    with open("crlf.txt", encoding="utf-16") as file:
        assert file.read() == "a\nb\n"
        assert file.newlines == "\r\n"
    with open("latin.txt", "w", encoding="latin-1", errors="replace") as file:
        file.write("é☃")
    assert Path("latin.txt").read_bytes() == b"\xe9?"


def test_pathlib_makes_finds_moves_and_removes() -> None:
    folder = Path("data/deep")
    folder.mkdir(parents=True)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "a.txt").write_text("1")
    (folder / "b.bin").write_bytes(b"22")
    (folder / "c").touch()
    assert sorted(path.name for path in folder.iterdir()) == ["a.txt", "b.bin", "c"]
    assert sorted(map(str, Path("data").rglob("*.txt"))) == ["data/deep/a.txt"]
    assert sorted(map(str, Path("data").glob("**/*.b*"))) == ["data/deep/b.bin"]
    moved = (folder / "a.txt").rename(folder / "d.txt").replace(folder / "e.txt")
    assert (moved.exists(), moved.stat().st_size, moved.with_suffix(".md").name) == (
        True,
        1,
        "e.md",
    )
    assert (folder / "e.txt").resolve() == Path("/scratch/data/deep/e.txt")
    assert (folder.is_dir(), (folder / "c").is_file(), Path("nowhere").exists()) == (
        True,
        True,
        False,
    )
    (folder / "c").unlink()
    Path("missing").unlink(missing_ok=True)
    with pytest.raises(OSError, match=r"\[Errno 39\] Directory not empty: 'data/deep'"):
        folder.rmdir()
    (folder / "link").symlink_to("e.txt")
    assert (folder / "link").read_text() == "1"
    assert (folder / "link").is_symlink()
    with (folder / "e.txt").open("a") as file:
        file.write("!")
    assert (folder / "link").read_bytes() == b"1!"
    assert Path.cwd() == Path("/scratch")
    assert Path("~/x").expanduser() == Path.home() / "x" == Path("/home/user/x")
    assert (folder / "e.txt").owner() == getpass.getuser() == "user"


def test_os_walks_lists_and_stats() -> None:
    os.makedirs("w/x/y")
    for name in ("w/1", "w/x/2", "w/x/y/3"):
        with open(name, "w") as file:
            file.write(name)
    assert list(os.walk("w")) == [("w", ["x"], ["1"]), ("w/x", ["y"], ["2"]), ("w/x/y", [], ["3"])]
    with os.scandir("w") as entries:
        assert {entry.name: entry.is_dir() for entry in entries} == {"x": True, "1": False}
    assert (os.path.getsize("w/x/2"), os.path.isdir("w"), os.path.abspath("w")) == (
        5,
        True,
        "/scratch/w",
    )
    os.utime("w/1", (1, 2))
    assert (os.path.getatime("w/1"), os.path.getmtime("w/1")) == (1.0, 2.0)
    os.chmod("w/1", 0o600)
    assert stat.filemode(os.stat("w/1").st_mode) == "-rw-------"
    os.chdir("w/x")
    assert os.getcwd() == "/scratch/w/x"
    assert os.path.relpath("/scratch/w/1") == "../1"
    assert os.path.samefile("../1", "/scratch/w/1")
    os.renames("y/3", "z/3")
    assert os.listdir() == ["2", "z"]
    assert os.listdir(b"z") == [b"3"]


def test_descriptors_read_write_and_seek() -> None:
    number = os.open("raw", os.O_RDWR | os.O_CREAT)
    assert os.write(number, b"hello world") == 11
    assert os.lseek(number, 6, os.SEEK_SET) == 6
    assert os.read(number, 100) == b"world"
    assert os.pread(number, 5, 0) == b"hello"
    os.ftruncate(number, 5)
    assert os.fstat(number).st_size == 5
    with os.fdopen(number, "r+b") as file:
        file.seek(0)
        assert file.read() == b"hello"
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.close(number)


def test_glob_finds_with_and_without_recursion() -> None:
    os.makedirs("g/h")
    for name in ("g/a.py", "g/h/b.py", "g/h/.hidden.py"):
        Path(name).touch()
    assert glob.glob("g/*.py") == ["g/a.py"]
    assert sorted(glob.glob("**/*.py", root_dir="g", recursive=True)) == ["a.py", "h/b.py"]
    assert sorted(glob.iglob("/scratch/g/**/", recursive=True)) == ["/scratch/g/", "/scratch/g/h/"]


def test_shutil_copies_moves_and_removes_trees() -> None:
    os.makedirs("s/t")
    Path("s/t/a").write_text("A" * 100_000)
    shutil.copytree("s", "s2", ignore=shutil.ignore_patterns("*.pyc"))
    shutil.copy2("s/t/a", "s2/b")
    shutil.copyfile("s/t/a", "s2/c")
    assert shutil.move("s2", "s3") == "s3"
    assert sorted(os.listdir("s3")) == ["b", "c", "t"]
    assert Path("s3/b").read_text() == "A" * 100_000
    shutil.rmtree("s3")
    assert not os.path.exists("s3")
    assert shutil.disk_usage("/").total == 1 << 20
    assert shutil.which("python") is None
    with pytest.raises(shutil.SameFileError):
        shutil.copy("s/t/a", "s/t/a")


@pytest.mark.parametrize("format_", ["zip", "tar", "gztar", "bztar", "xztar"])
def test_archives_are_made_and_unpacked(format_: str) -> None:
    os.makedirs("p/q")
    Path("p/q/a").write_text("content")
    archive = shutil.make_archive("out", format_, "p")
    shutil.unpack_archive(archive, "back", filter=None if format_ == "zip" else "data")
    assert Path("back/q/a").read_text() == "content"


def test_zip_files_are_written_read_and_appended_to() -> None:
    with zipfile.ZipFile("x.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.txt", "A")
        archive.write("in/a.csv", "b.csv")
    with zipfile.ZipFile("x.zip", "a") as archive:
        archive.writestr("c.txt", "C")
    with zipfile.ZipFile("x.zip") as archive:
        assert archive.namelist() == ["a.txt", "b.csv", "c.txt"]
        assert archive.testzip() is None
        archive.extractall("out")
    assert Path("out/b.csv").read_bytes() == b"x,y\n1,2\n"
    assert zipfile.is_zipfile("x.zip")
    with tarfile.open("x.tar.gz", "w:gz") as tar:
        tar.add("out")
    with tarfile.open("x.tar.gz") as tar:
        assert sorted(tar.getnames()) == ["out", "out/a.txt", "out/b.csv", "out/c.txt"]
        assert tar.getmember("out/a.txt").uname == "user"


@pytest.mark.parametrize("module", [gzip, bz2, lzma])
def test_compressed_files_read_back(module: Any) -> None:
    with module.open("z", "wt") as file:
        file.write("packed")
    with module.open("z", "rt") as file:
        assert file.read() == "packed"
    assert Path("z").stat().st_size > 0


def test_temporary_files_and_folders_go_when_they_are_closed() -> None:
    with tempfile.NamedTemporaryFile("w+", suffix=".txt") as named:
        named.write("x")
        named.flush()
        assert Path(named.name).read_text() == "x"
        assert named.name.startswith("/tmp/tmp")
    assert not os.path.exists(named.name)
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "a").touch()
    assert not os.path.exists(folder)
    with tempfile.TemporaryFile() as file, tempfile.SpooledTemporaryFile(max_size=2) as spooled:
        file.write(b"123")
        spooled.write(b"123")
        assert (file.seek(0), file.read(), spooled.seek(0), spooled.read()) == (
            0,
            b"123",
            0,
            b"123",
        )
    number, path = tempfile.mkstemp(dir=".")
    os.close(number)
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
    assert os.path.isdir(tempfile.mkdtemp())
    assert tempfile.gettempdir() == "/tmp"
    kept = tempfile.NamedTemporaryFile(delete=False)  # noqa: SIM115
    kept.close()
    os.unlink(kept.name)


@pytest.mark.filterwarnings("ignore:codecs.open:DeprecationWarning")  # since 3.14
def test_data_formats_go_to_files_and_back() -> None:
    with open("d.json", "w") as file:
        json.dump({"a": [1]}, file)
    with open("d.json") as file:
        assert json.load(file) == {"a": [1]}
    with open("d.csv", "w", newline="") as file:
        csv.writer(file).writerows([["a", "b"], [1, "x,y"]])
    assert Path("d.csv").read_bytes() == b'a,b\r\n1,"x,y"\r\n'
    with open("d.pickle", "wb") as binary:
        pickle.dump({1}, binary)
    with open("d.pickle", "rb") as binary:
        assert pickle.load(binary) == {1}
    config = configparser.ConfigParser()
    config.read_dict({"s": {"k": "v"}})
    with open("d.ini", "w") as file:
        config.write(file)
    assert configparser.ConfigParser().read(["d.ini", "none.ini"]) == ["d.ini"]
    with codecs.open("d.txt", "w", "utf-8") as stream:  # pyright: ignore[reportDeprecated]  # used
        stream.write("é")
    assert linecache.getline("/scratch/d.txt", 1) == "é\n"


def test_fileinput_edits_in_place() -> None:
    Path("edit.txt").write_text("a\nb\n")
    with fileinput.input("edit.txt", inplace=True) as lines:
        for line in lines:
            print(line.upper(), end="")  # noqa: T201 - goes to the file
    assert Path("edit.txt").read_text() == "A\nB\n"


def test_logging_writes_to_files() -> None:
    handler = logging.FileHandler("log/../run.log", delay=True)
    os.mkdir("log")
    logger = logging.Logger("scratch")
    logger.addHandler(handler)
    logger.warning("careful")
    handler.close()
    assert Path("run.log").read_text() == "careful\n"


def test_a_file_that_is_no_archive_is_called_so() -> None:
    Path("not.zip").write_text("text")
    with pytest.raises(zipfile.BadZipFile):
        zipfile.ZipFile("not.zip")
    with pytest.raises(tarfile.ReadError):
        tarfile.open("not.zip")  # noqa: SIM115 - never opens
    with pytest.raises(gzip.BadGzipFile), gzip.open("not.zip") as file:
        file.read()


def test_two_handles_of_one_file_see_what_was_flushed() -> None:
    with open("shared", "w") as writer, open("shared") as reader:
        writer.write("one\n")
        assert reader.read() == ""
        writer.flush()
        assert reader.read() == "one\n"
        with open("shared", "a") as other:
            other.write("two\n")
        assert reader.read() == "two\n"


def test_a_link_that_leads_nowhere_or_in_circles_is_said_to() -> None:
    os.symlink("there", "here")
    os.symlink("here", "there")
    with pytest.raises(OSError, match="Too many levels of symbolic links: 'here'"):
        Path("here").read_text()
    os.symlink("nowhere", "dangling")
    assert (os.path.lexists("dangling"), os.path.exists("dangling")) == (True, False)
    Path("dangling").write_text("made through the link")
    assert Path("nowhere").read_text() == "made through the link"


def test_the_null_device_reads_empty_and_forgets() -> None:
    with open(os.devnull, "w") as file:
        file.write("gone")
    assert Path(os.devnull).read_text() == ""
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)


def test_path_classes_still_compare_and_match() -> None:
    assert PurePosixPath("a/b.py").match("*.py")
    assert PurePosixPath("a") / "b" == PurePosixPath("a/b")
    assert Path("/scratch/in/a.csv").relative_to("/scratch").parts == ("in", "a.csv")
    assert {Path("a"): 1}[Path("a")] == 1
