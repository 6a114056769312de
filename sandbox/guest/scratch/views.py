"""What a program under the language policy sees of the modules that work on files.

Names on an allow-list, taken from the standard library's own modules, with the tree's functions
where those stand on the kernel. Never a module, and no function that leads to one.
"""

from __future__ import annotations

from importlib import import_module
from types import MappingProxyType, ModuleType
from typing import Final

from codemode.sandbox.guest.scratch import overlay

_OS: Final = """
    DirEntry access chdir chmod chown close closerange dup fchdir fchmod fdatasync fdopen fstat
    fstatvfs fsync ftruncate getcwd getcwdb isatty link listdir lseek lstat makedirs mkdir open
    pread pwrite read readlink remove removedirs rename renames replace rmdir scandir stat statvfs
    symlink sync truncate umask unlink utime walk write

    cpu_count device_encoding get_exec_path get_terminal_size getegid geteuid getgid getgroups
    getlogin getpid getppid getrandom getuid process_cpu_count sched_getaffinity sched_yield times
    uname urandom

    environ environb getenv getenvb putenv unsetenv

    PathLike altsep curdir defpath devnull error extsep fsdecode fsencode fspath linesep name
    pardir pathsep sep stat_result statvfs_result strerror supports_bytes_environ supports_dir_fd
    supports_effective_ids supports_fd supports_follow_symlinks terminal_size times_result
    uname_result
    EX_CANTCREAT EX_CONFIG EX_DATAERR EX_IOERR EX_NOHOST EX_NOINPUT EX_NOPERM EX_NOUSER EX_OK
    EX_OSERR EX_OSFILE EX_PROTOCOL EX_SOFTWARE EX_TEMPFAIL EX_UNAVAILABLE EX_USAGE
    F_OK O_APPEND O_CLOEXEC O_CREAT O_DIRECTORY O_EXCL O_NOFOLLOW O_NONBLOCK O_RDONLY O_RDWR
    O_SYNC O_TRUNC O_WRONLY R_OK SEEK_CUR SEEK_END SEEK_SET W_OK X_OK
"""
#: Refused when they are called, each with its reason.
_OS_REFUSED: Final = """
    chroot execl execle execlp execlpe execv execve execvp execvpe fork forkpty fwalk getloadavg
    getpriority kill killpg lockf mkfifo mknod nice pipe pipe2 popen posix_spawn posix_spawnp
    sendfile setgid setpriority setsid setuid spawnl spawnle spawnlp spawnlpe spawnv spawnve
    spawnvp spawnvpe system wait wait3 wait4 waitid waitpid
"""
_OS_PATH: Final = """
    abspath basename commonpath commonprefix dirname exists expanduser expandvars getatime getctime
    getmtime getsize isabs isdevdrive isdir isfile isjunction islink ismount isreserved join
    lexists normcase normpath realpath relpath samefile sameopenfile samestat split splitdrive
    splitext splitroot
    altsep curdir defpath devnull extsep pardir pathsep sep supports_unicode_filenames
"""
_IO: Final = """
    BlockingIOError BufferedIOBase BufferedRWPair BufferedRandom BufferedReader BufferedWriter
    BytesIO FileIO IOBase IncrementalNewlineDecoder RawIOBase StringIO TextIOBase TextIOWrapper
    UnsupportedOperation DEFAULT_BUFFER_SIZE SEEK_SET SEEK_CUR SEEK_END open open_code
    text_encoding
"""
_PATHLIB: Final = """
    Path PosixPath PurePath PurePosixPath PureWindowsPath UnsupportedOperation WindowsPath
"""
_SHUTIL: Final = """
    Error ExecError ReadError RegistryError SameFileError SpecialFileError chown copy copy2 copyfile
    copyfileobj copymode copystat copytree disk_usage get_archive_formats get_terminal_size
    get_unpack_formats ignore_patterns make_archive move rmtree unpack_archive which
"""
_TEMPFILE: Final = """
    NamedTemporaryFile SpooledTemporaryFile TMP_MAX TemporaryDirectory TemporaryFile gettempdir
    gettempdirb gettempprefix gettempprefixb mkdtemp mkstemp mktemp
"""
_FILEINPUT: Final = """
    FileInput close filelineno filename fileno hook_compressed hook_encoded input isfirstline
    isstdin lineno nextfile
"""
_ZIPFILE: Final = """
    BadZipFile BadZipfile LargeZipFile Path ZIP_BZIP2 ZIP_DEFLATED ZIP_LZMA ZIP_STORED ZipFile
    ZipInfo error is_zipfile
"""
_TARFILE: Final = """
    AbsoluteLinkError AbsolutePathError CompressionError ExtractError FilterError HeaderError
    LinkOutsideDestinationError OutsideDestinationError ReadError SpecialFileError StreamError
    TarError TarFile TarInfo data_filter fully_trusted_filter is_tarfile open tar_filter
    BLKTYPE CHRTYPE DEFAULT_FORMAT DIRTYPE ENCODING FIFOTYPE GNU_FORMAT LNKTYPE PAX_FORMAT REGTYPE
    SYMTYPE USTAR_FORMAT
"""
_LOGGING: Final = "FileHandler"
_LOGGING_HANDLERS: Final = """
    BaseRotatingHandler RotatingFileHandler TimedRotatingFileHandler WatchedFileHandler
"""
_LZMA: Final = """
    LZMACompressor LZMADecompressor LZMAError LZMAFile compress decompress is_check_supported open
    CHECK_CRC32 CHECK_CRC64 CHECK_NONE CHECK_SHA256 FILTER_LZMA1 FILTER_LZMA2 FORMAT_ALONE
    FORMAT_AUTO FORMAT_RAW FORMAT_XZ PRESET_DEFAULT PRESET_EXTREME
"""

#: Module -> the names of its view; a name that this interpreter does not have is left out.
OFFERED: Final = MappingProxyType(
    {
        "os": _OS + _OS_REFUSED,
        "os.path": _OS_PATH,
        "io": _IO,
        "builtins": "open",
        "pathlib": _PATHLIB,
        "shutil": _SHUTIL,
        "tempfile": _TEMPFILE,
        "glob": "escape glob has_magic iglob translate",
        "fileinput": _FILEINPUT,
        "zipfile": _ZIPFILE,
        "tarfile": _TARFILE,
        "gzip": "BadGzipFile GzipFile compress decompress open",
        "bz2": "BZ2Compressor BZ2Decompressor BZ2File compress decompress open",
        "logging": _LOGGING,
        "logging.handlers": _LOGGING_HANDLERS,
        "lzma": _LZMA,
    }
)


def names(module: str) -> dict[str, object]:
    """What the view of `module` offers; the same before and after the tree is mounted.

    `os.path` is a view of its own, to be attached to that of `os` as `path`.

    Raises:
        KeyError: No view of this module is offered here.
    """
    offered = OFFERED[module].split()
    real = vars(import_module(module))
    if module == "os":
        real = real | overlay.os_names()
    elif module in ("io", "builtins"):
        real = {**real, **overlay.STREAMS}
    view = {name: real[name] for name in offered if name in real}
    return {name: value for name, value in view.items() if not isinstance(value, ModuleType)}
