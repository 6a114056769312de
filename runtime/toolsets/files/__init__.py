"""Files below one folder: read, write, edit, glob, grep."""

from codemode.runtime.toolsets.files.history import Change, UndoError
from codemode.runtime.toolsets.files.toolset import FileToolset

__all__ = ["Change", "FileToolset", "UndoError"]
