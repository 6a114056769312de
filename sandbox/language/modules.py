"""The table of modules that programs may import, with what each one withholds and why.

A row names what is left out, so that a new name of a new Python appears by itself only where the
module's own `__all__` lists it. Modules that need the guest (files, the event loop, the console)
come from providers and replace a row of the same name. Modules without a row do not exist here;
for the ones that models like to reach for, `MISSING` says what to use instead.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Final

from codemode.sandbox.language.words import words

_ABSENT: Final = "it is not installed"
_TOOLS: Final = "the tools that this program was given"
_FILES: Final = "it opens files of the host"
_PROCESS: Final = "it reaches the process"
#: What is withheld for this is not there even where the guest has a version of its own.
PROCESSES: Final = "it starts or reaches processes"
_TEXT: Final = "it turns text into code"
_FRAMES: Final = "it reads frames"
_PICKLE: Final = "it tells how to unpickle, and unpickling runs code"
_CLASSES: Final = "it makes classes past the policy"

#: What to use instead of a withheld name, by the reason.
_INSTEAD: Final = {
    PROCESSES: _TOOLS,
    _CLASSES: "the class statement, or type(name, bases, body)",
    _FILES: "open(), or io.BytesIO and io.StringIO",
    _FRAMES: "traceback.format_exc()",
    _PROCESS: "what the program itself defines",
    _PICKLE: "copy.copy() and copy.deepcopy()",
    _TEXT: "json.loads() or ast.literal_eval()",
}
#: The same, where the name says more than the reason.
_INSTEAD_BY_NAME: Final = {
    "ast.re": "import re",
    "ast.sys": "import sys",
    "calendar.LocaleHTMLCalendar": "calendar.HTMLCalendar",
    "calendar.LocaleTextCalendar": "calendar.TextCalendar",
    "codecs.register": "codecs.encode() and codecs.decode()",
    "codecs.register_error": "errors='replace', 'ignore' or 'xmlcharrefreplace'",
    "concurrent.futures.ProcessPoolExecutor": "concurrent.futures.ThreadPoolExecutor",
    "contextlib.chdir": "os.chdir()",
    "importlib.reload": "the module as it is",
    "inspect.getattr_static": "getattr()",
    "inspect.unwrap": "the function itself",
    "logging.currentframe": "a logger with a name",
    "re.template": "re.compile()",
    "sys.modules": "import, or a try around it",
    "sys.settrace": "print()",
    "time.clock_settime": "datetime and timedelta",
    "time.tzset": "zoneinfo",
    "timeit.main": "timeit.timeit()",
    "types.ModuleType": "types.SimpleNamespace",
    "typing.ForwardRef": "an annotation in quotes",
    "unittest.mock": "functions and classes of your own",
    "uuid.getnode": "uuid.uuid4()",
    "uuid.uuid1": "uuid.uuid4()",
    "weakref.finalize": "a context manager (__enter__ and __exit__) or try/finally",
    "zoneinfo.reset_tzpath": "zoneinfo.ZoneInfo",
}


def instead(module: str, name: str, reason: str) -> str:
    """What to use instead of a name that `module` withholds; "" when there is nothing."""
    return _INSTEAD_BY_NAME.get(f"{module}.{name}") or _INSTEAD.get(reason, "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Module:
    """One importable module.

    Attributes:
        only: Its open names; None for all of `__all__`, or all public names when it has none.
        withheld: Names left out, each with the reason.
        more: Open names that `__all__` does not list.
        private: Underscore names that are open all the same: pure functions that lead nowhere.
        is_ours: All of it is in `replacements`; the library's own is not even imported.
    """

    name: str
    only: tuple[str, ...] | None = None
    withheld: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    more: tuple[str, ...] = ()
    private: tuple[str, ...] = ()
    is_ours: bool = False


def _only(name: str, *names: str, **withheld: str) -> Module:
    return Module(name=name, only=words(*names), withheld=MappingProxyType(withheld))


def _also(row: Module, *private: str) -> Module:
    return replace(row, private=words(*private))


def _all(name: str, *, more: str = "", **withheld: str) -> Module:
    return Module(name=name, withheld=MappingProxyType(withheld), more=words(more))


TABLE: Final[tuple[Module, ...]] = (
    _all(
        "abc",
        more="ABC ABCMeta abstractmethod abstractclassmethod abstractstaticmethod abstractproperty",
        update_abstractmethods=_CLASSES,
    ),
    _all("argparse", FileType=_FILES),
    _only("array", "array ArrayType typecodes"),
    _all("ast", main=_PROCESS, sys=_PROCESS, re=_PROCESS),
    _only(
        "asyncio",
        "sleep gather run create_task wait wait_for timeout TaskGroup Queue PriorityQueue",
        "LifoQueue Semaphore BoundedSemaphore Lock Event Condition Barrier Task Future",
        "as_completed shield ensure_future iscoroutine iscoroutinefunction isfuture",
        "TimeoutError CancelledError InvalidStateError QueueEmpty QueueFull",
        "FIRST_COMPLETED FIRST_EXCEPTION ALL_COMPLETED current_task all_tasks",
        "get_running_loop AbstractEventLoop Timeout BrokenBarrierError",
    ),
    _only(
        "asyncio.exceptions",
        "BrokenBarrierError CancelledError IncompleteReadError InvalidStateError",
        "LimitOverrunError TimeoutError",
    ),
    _all("base64"),
    _all("binascii"),
    _all("bisect"),
    _all("bz2", open=_FILES),
    _all(
        "calendar",
        more="mdays error week prweek EPOCH",
        main=_PROCESS,
        LocaleTextCalendar=_PROCESS,
        LocaleHTMLCalendar=_PROCESS,
    ),
    _all("cmath"),
    _only(
        "codecs",
        "encode decode getencoder getdecoder lookup iterencode iterdecode escape_decode",
        "getincrementaldecoder getincrementalencoder getreader getwriter CodecInfo",
        "IncrementalDecoder IncrementalEncoder StreamReader StreamWriter",
        "BOM BOM_BE BOM_LE BOM_UTF8 BOM_UTF16 BOM_UTF16_LE BOM_UTF16_BE BOM_UTF32 BOM_UTF32_LE",
        "BOM_UTF32_BE",
        open=_FILES,
        register=_PROCESS,
        register_error=_PROCESS,
    ),
    _all("collections"),
    _all("collections.abc", more="Buffer"),
    _all("colorsys"),
    _all("configparser", more="Error"),
    _all("contextlib", more="AsyncContextDecorator", chdir=_PROCESS),
    _all("contextvars"),
    _all("copy", more="error"),
    _all("csv"),
    _all("dataclasses"),
    _all("datetime", more="UTC"),
    _all("decimal"),
    _all("difflib"),
    Module(name="doctest", is_ours=True),
    _all(
        "enum",
        global_enum=_CLASSES,
        global_str=_CLASSES,
        global_enum_repr=_CLASSES,
        global_flag_repr=_CLASSES,
        pickle_by_enum_name=_PICKLE,
        pickle_by_global_name=_PICKLE,
    ),
    _all("errno"),
    _all("fnmatch"),
    _all("fractions"),
    _all("functools"),
    _only(
        "gc",
        "collect enable disable isenabled get_count get_stats get_threshold set_threshold",
        "is_tracked is_finalized",
        **dict.fromkeys(words("get_objects get_referrers get_referents callbacks"), _FRAMES),
    ),
    _all("getopt"),
    _all("graphlib"),
    _all("gzip", open=_FILES),
    _all("hashlib", more="scrypt file_digest"),
    _only("hmac", "HMAC new digest compare_digest digest_size trans_5C trans_36"),
    _all("heapq"),
    _all("html"),
    _all("html.parser"),
    _all("html.entities"),
    _only("http", "HTTPStatus HTTPMethod"),
    _only(
        "io",
        "StringIO BytesIO IOBase RawIOBase BufferedIOBase TextIOBase TextIOWrapper",
        "BufferedReader BufferedWriter SEEK_SET SEEK_CUR SEEK_END DEFAULT_BUFFER_SIZE",
        "UnsupportedOperation",
        open=_FILES,
        FileIO=_FILES,
        open_code=_FILES,
    ),
    _only(
        "ipaddress",
        "ip_address ip_network ip_interface IPv4Address IPv6Address IPv4Network",
        "IPv6Network IPv4Interface IPv6Interface AddressValueError NetmaskValueError",
        "summarize_address_range collapse_addresses get_mixed_type_key v4_int_to_packed",
        "v6_int_to_packed",
    ),
    Module(
        name="importlib",
        withheld=MappingProxyType({"reload": "modules are not made here"}),
        is_ours=True,
    ),
    Module(
        name="inspect",
        withheld=MappingProxyType(
            dict.fromkeys(
                words(
                    "currentframe stack trace getframeinfo getouterframes getinnerframes",
                    "getclosurevars getattr_static unwrap getmodule",
                ),
                _FRAMES,
            )
        ),
        is_ours=True,
    ),
    _all("itertools"),
    _all("json"),
    _only("json.decoder", "JSONDecoder JSONDecodeError"),
    _only("json.encoder", "JSONEncoder"),
    _all("keyword"),
    _only(
        "locale",
        "setlocale getlocale getdefaultlocale localeconv getencoding getpreferredencoding",
        "format_string currency delocalize localize str atof atoi strcoll strxfrm normalize Error",
        "LC_ALL LC_COLLATE LC_CTYPE LC_MESSAGES LC_MONETARY LC_NUMERIC LC_TIME CHAR_MAX",
    ),
    _only(
        "logging",
        "basicConfig getLogger debug info warning warn error exception critical fatal log",
        "disable DEBUG INFO WARNING WARN ERROR CRITICAL FATAL NOTSET Logger LoggerAdapter",
        "Handler StreamHandler NullHandler Formatter BufferingFormatter Filter LogRecord",
        "addLevelName getLevelName getLevelNamesMapping captureWarnings root lastResort",
        "makeLogRecord setLogRecordFactory getLogRecordFactory setLoggerClass getLoggerClass",
        "Filterer PercentStyle StrFormatStyle StringTemplateStyle BASIC_FORMAT raiseExceptions",
        "getHandlerByName getHandlerNames shutdown",
        FileHandler=_FILES,
        currentframe=_FRAMES,
    ),
    _only("logging.handlers", "BufferingHandler MemoryHandler QueueHandler QueueListener"),
    _all("lzma", open=_FILES),
    _all("math"),
    _all("numbers"),
    _also(
        _all("operator"),
        "__lt__ __le__ __eq__ __ne__ __gt__ __ge__ __abs__ __add__ __and__ __floordiv__ __index__",
        "__invert__ __lshift__ __mod__ __mul__ __matmul__ __neg__ __or__ __pos__ __pow__",
        "__rshift__ __sub__ __truediv__ __xor__ __contains__ __getitem__ __setitem__ __delitem__",
        "__iadd__",
        "__iand__ __ifloordiv__ __ilshift__ __imod__ __imul__ __imatmul__ __ior__ __ipow__",
        "__irshift__ __isub__ __itruediv__ __ixor__",
    ),
    _only("fileinput", ""),
    _only("glob", "escape has_magic"),
    _only(
        "os",
        "fspath PathLike sep altsep linesep pathsep curdir pardir extsep devnull name",
        "strerror fsencode fsdecode error",
        **dict.fromkeys(
            words(
                "abort chroot execl execle execlp execlpe execv execve execvp execvpe fork forkpty",
                "kill killpg nice pipe pipe2 popen posix_spawn posix_spawnp setgid setpriority",
                "setsid setuid spawnl spawnle spawnlp spawnlpe spawnv spawnve spawnvp spawnvpe",
                "system wait wait3 wait4 waitid waitpid memfd_create unshare openpty",
            ),
            PROCESSES,
        ),
    ),
    _only(
        "os.path",
        "join split splitext basename dirname normpath isabs commonprefix commonpath",
        "relpath sep altsep extsep pardir curdir splitdrive normcase",
    ),
    _only("pathlib", "PurePath PurePosixPath PureWindowsPath", Path=_FILES),
    _only("shutil", "Error SameFileError get_terminal_size ignore_patterns"),
    _only("tarfile", ""),
    _only("tempfile", "TMP_MAX"),
    _only(
        "concurrent.futures",
        "Future Executor ThreadPoolExecutor as_completed wait TimeoutError CancelledError",
        "InvalidStateError BrokenExecutor FIRST_COMPLETED FIRST_EXCEPTION ALL_COMPLETED",
        ProcessPoolExecutor=_PROCESS,
    ),
    _only("sched", "scheduler Event"),
    _only(
        "mimetypes",
        "guess_type guess_extension guess_all_extensions add_type types_map",
    ),
    _only(
        "platform",
        "python_version python_implementation python_version_tuple python_branch python_revision",
        "python_build python_compiler",
    ),
    _all("pprint"),
    _all("queue"),
    _all("random"),
    _all("re", more="Scanner DEBUG", template="it was removed from newer Pythons"),
    _all("reprlib"),
    _all("secrets"),
    _all("shlex"),
    _all("stat"),
    Module(
        name="statistics",
        private=words(
            "_sum _exact_ratio _convert _isfinite _fail_neg _coerce _find_lteq _find_rteq _ss",
            "_decimal_sqrt_of_frac _integer_sqrt_of_frac_rto _float_sqrt_of_frac",
            "_normal_dist_inv_cdf _mean_stdev",
        ),
    ),
    _all("string"),
    _all("struct"),
    _also(
        _only(
            "sys",
            "version version_info platform byteorder maxsize maxunicode float_info int_info",
            "hash_info getsizeof getrecursionlimit exit implementation hexversion api_version",
            "copyright float_repr_style intern getdefaultencoding",
            modules=_PROCESS,
            exc_info=_FRAMES,
            settrace=_FRAMES,
            path=_PROCESS,
            argv=_PROCESS,
        ),
        "__stdin__ __stdout__ __stderr__",
    ),
    _all("textwrap"),
    _only("threading", "Lock RLock Event Condition Semaphore BoundedSemaphore Barrier local"),
    _only(
        "time",
        "time time_ns monotonic monotonic_ns perf_counter perf_counter_ns process_time",
        "process_time_ns sleep strftime strptime gmtime localtime mktime asctime ctime",
        "struct_time timezone altzone daylight tzname",
        tzset=_PROCESS,
        clock_settime=_PROCESS,
    ),
    _all("timeit", main=_PROCESS),
    _all("token"),
    _all("tokenize", more="TokenError", open=_FILES),
    _all("tomllib"),
    _only(
        "traceback",
        "format_exc print_exc format_exception format_exception_only print_exception",
        "format_tb print_tb extract_tb format_list print_list FrameSummary TracebackException",
        **dict.fromkeys(
            words("walk_stack walk_tb extract_stack format_stack print_stack StackSummary"), _FRAMES
        ),
    ),
    _only(
        "types",
        "SimpleNamespace MappingProxyType MethodType FunctionType LambdaType",
        "GeneratorType CoroutineType AsyncGeneratorType BuiltinFunctionType",
        "BuiltinMethodType NoneType EllipsisType NotImplementedType UnionType",
        "GenericAlias DynamicClassAttribute TracebackType ClassMethodDescriptorType",
        "GetSetDescriptorType MemberDescriptorType MethodDescriptorType MethodWrapperType",
        "WrapperDescriptorType",
        ModuleType="modules are not made here",
        CodeType=_TEXT,
        FrameType=_FRAMES,
        new_class=_CLASSES,
        prepare_class=_CLASSES,
        resolve_bases=_CLASSES,
    ),
    _all("typing", ForwardRef=_TEXT, no_type_check_decorator=_CLASSES),
    _only(
        "unicodedata",
        "bidirectional category combining decimal decomposition digit east_asian_width",
        "is_normalized lookup mirrored name normalize numeric unidata_version UCD",
        "ucd_3_2_0",
    ),
    Module(
        name="unittest",
        withheld=MappingProxyType({"mock": "it replaces attributes of modules"}),
        is_ours=True,
    ),
    _all("urllib.parse"),
    _only("urllib.error", "URLError HTTPError ContentTooShortError"),
    _only(
        "uuid",
        "UUID uuid3 uuid4 uuid5 NAMESPACE_DNS NAMESPACE_URL NAMESPACE_OID NAMESPACE_X500",
        "RESERVED_NCS RFC_4122 RESERVED_MICROSOFT RESERVED_FUTURE SafeUUID",
        getnode="it reads the host's network card",
        uuid1="it reads the host's network card",
    ),
    _all("warnings"),
    _only(
        "weakref",
        "ref proxy WeakSet WeakKeyDictionary WeakValueDictionary WeakMethod ReferenceType",
        "ProxyType CallableProxyType ProxyTypes getweakrefcount",
        finalize="finalizers run at a moment that nobody chose",
    ),
    _only(
        "xml.etree.ElementTree",
        "Element SubElement ElementTree tostring tostringlist fromstring fromstringlist",
        "XML XMLID QName Comment ProcessingInstruction PI ParseError indent dump",
        "iselement XMLParser XMLPullParser TreeBuilder canonicalize register_namespace",
        "parse iterparse",
    ),
    _only(
        "xml.dom.minidom",
        "parse parseString Document DocumentFragment Element Text Comment Attr Node CDATASection",
        "NodeList DOMImplementation getDOMImplementation",
    ),
    _only("xml.sax.saxutils", "escape unescape quoteattr"),
    _only(
        "zipfile",
        "ZipFile ZipInfo BadZipFile LargeZipFile ZIP_STORED ZIP_DEFLATED ZIP_BZIP2",
        "ZIP_LZMA is_zipfile Path",
    ),
    _all("zlib"),
    _all("zoneinfo", reset_tzpath=_FILES),
)

BY_NAME: Final = {module.name: module for module in TABLE}

#: Withheld names that a guest has all the same, from its own scratch tree and console.
OF_THE_GUEST: Final = {
    "bz2": words("open"),
    "codecs": words("open"),
    "gzip": words("open"),
    "io": words("FileIO open open_code"),
    "logging": words("FileHandler"),
    "lzma": words("open"),
    "pathlib": words("Path"),
    "sys": words("argv exc_info path"),
    "uuid": words("uuid1"),
}

#: Classes that are visible and must not be inherited: their attributes steer code generation, name
#: what is set in a module, or hold one; or the library hands their heirs what is not theirs.
NOT_BASES: Final = frozenset(
    {
        "asyncio.AbstractEventLoop",
        "asyncio.Timeout",
        "builtins.classmethod",
        "builtins.staticmethod",
        "contextlib.redirect_stderr",
        "contextlib.redirect_stdout",
        "dataclasses.Field",
        "enum.property",
        "functools.singledispatchmethod",
        "types.DynamicClassAttribute",
        "types.FunctionType",
        "types.GenericAlias",
        "types.MethodType",
        "warnings.catch_warnings",
        "codemode.sandbox.language.inspecting.Signature",
        "threading.Lock",
        "tarfile.TarFile",
        "weakref.WeakMethod",
        "codemode.sandbox.guest.scratch.files.FileIO",
        "codemode.sandbox.guest.scratch.scan.DirEntry",
    }
)

#: Classes whose instances are the program's to fill with attributes.
WRITABLE: Final = (
    "types.SimpleNamespace",
    "argparse.Namespace",
    "argparse.ArgumentParser",
    "decimal.Context",
    "functools.partial",
    "functools.partialmethod",
    "textwrap.TextWrapper",
    "threading.local",
    "xml.etree.ElementTree.Element",
    "logging.Logger",
    "logging.Handler",
    "logging.StreamHandler",
    "logging.LogRecord",
    "queue.Queue",
    "random.Random",
    "csv.DictReader",
    "csv.DictWriter",
    "zipfile.ZipInfo",
    "collections.UserDict",
    "collections.UserList",
    "collections.UserString",
    "collections.OrderedDict",
    "collections._tuplegetter",
    "calendar.Calendar",
    "shlex.shlex",
    "difflib.SequenceMatcher",
    "pprint.PrettyPrinter",
    "reprlib.Repr",
    "configparser.ConfigParser",
)

#: Classes whose instances take public attributes; their private ones stay the library's.
SETTABLE: Final = (
    "argparse._AppendAction",
    "argparse._ArgumentGroup",
    "argparse._CountAction",
    "argparse._MutuallyExclusiveGroup",
    "argparse._StoreAction",
    "argparse._StoreConstAction",
    "argparse._StoreFalseAction",
    "argparse._StoreTrueAction",
    "argparse._SubParsersAction",
    "calendar.HTMLCalendar",
    "calendar.TextCalendar",
    "collections.ChainMap",
    "collections.Counter",
    "collections.defaultdict",
    "configparser.RawConfigParser",
    "csv.Dialect",
    "csv.excel",
    "csv.excel_tab",
    "csv.unix_dialect",
    "html.parser.HTMLParser",
    "io.BytesIO",
    "io.StringIO",
    "json.decoder.JSONDecoder",
    "json.encoder.JSONEncoder",
    "logging.FileHandler",
    "logging.Formatter",
    "logging.LoggerAdapter",
    "logging.NullHandler",
    "logging.handlers.MemoryHandler",
    "logging.handlers.QueueHandler",
    "logging.handlers.RotatingFileHandler",
    "logging.handlers.TimedRotatingFileHandler",
    "string.Template",
    "tarfile.TarInfo",
    "threading.Thread",
    "threading.Timer",
    "xml.dom.minidom.Attr",
    "xml.dom.minidom.Element",
    "xml.dom.minidom.Text",
    "zipfile.ZipFile",
)

#: Classes whose instances refuse every public attribute themselves, in words that programs show.
PLAIN: Final = (
    "datetime.date",
    "datetime.datetime",
    "datetime.time",
    "datetime.timedelta",
    "datetime.timezone",
    "decimal.Decimal",
    "fractions.Fraction",
    "re.Match",
    "re.Pattern",
    "uuid.UUID",
)

#: Modules that C code of the library imports at its first use.
INTERNAL: Final = frozenset(
    words(
        "_strptime time io _io warnings unicodedata linecache contextlib collections.abc",
        "_weakref numbers decimal fractions datetime zoneinfo keyword copyreg traceback weakref",
        "xml.dom.expatbuilder",
    )
)

#: Codecs that programs use, of which each is a module that is loaded at its first use.
CODECS: Final = words(
    "ascii utf_8 utf_8_sig utf_7 utf_16 utf_16_le utf_16_be utf_32 utf_32_le utf_32_be",
    "latin_1 iso8859_2 iso8859_5 iso8859_7 iso8859_15 cp437 cp850 cp866 cp1250 cp1251",
    "cp1252 cp1253 cp1254 koi8_r mac_roman shift_jis cp932 euc_jp iso2022_jp gb2312 gbk",
    "gb18030 big5 euc_kr cp949 idna punycode raw_unicode_escape unicode_escape rot_13",
    "hex_codec base64_codec zlib_codec bz2_codec quopri_codec uu_codec charmap",
)

#: Modules that do not exist here, and what to use instead.
MISSING: Final = {
    **dict.fromkeys(
        words(
            "requests httpx aiohttp urllib.request urllib3 http.client http.server socket ssl",
            "ftplib smtplib telnetlib websockets select selectors socketserver xmlrpc",
            "imaplib poplib nntplib paramiko flask fastapi django boto3 openai webbrowser cgi",
        ),
        ("there is no network", _TOOLS),
    ),
    **dict.fromkeys(
        words(
            "subprocess pty fcntl ctypes mmap pwd grp psutil _thread",
        ),
        ("there are no processes", _TOOLS),
    ),
    "multiprocessing": ("there are no processes", "concurrent.futures.ThreadPoolExecutor"),
    "signal": ("no signal arrives here", "asyncio.timeout() for a time limit, or nothing"),
    "email": (
        "it is not among the open modules",
        "f-strings to write a message, str.partition() and re to read one",
    ),
    **dict.fromkeys(
        words(
            "importlib.machinery importlib.resources imp pkgutil runpy code codeop zipimport",
        ),
        ("programs load no further code", "an import of an open module"),
    ),
    **dict.fromkeys(
        words("importlib.util importlib.metadata"),
        ("programs load no further code", "an import in a try, with `except ImportError`"),
    ),
    "builtins": ("its names are there without it", "the name itself, such as print or len"),
    **dict.fromkeys(
        words("resource tracemalloc"),
        ("the process is not the program's to measure", "sys.getsizeof()"),
    ),
    **dict.fromkeys(
        words("dis sysconfig site faulthandler bdb pdb trace symtable"),
        ("the interpreter's inside is not open", "ordinary attributes and isinstance()"),
    ),
    **dict.fromkeys(
        words("atexit"), ("nothing runs after a program", "try/finally, or the program's last line")
    ),
    **dict.fromkeys(
        words("cProfile profile pstats"),
        ("the interpreter's inside is not open", "time.perf_counter(), or timeit with functions"),
    ),
    **dict.fromkeys(
        words("cmd curses readline rlcompleter termios tty"),
        ("nobody is there to type", "values in the program"),
    ),
    "optparse": ("there is one parser of options", "argparse or getopt"),
    **dict.fromkeys(words("posixpath ntpath"), ("it is the inside of another module", "os.path")),
    **dict.fromkeys(words("posix nt"), ("it is the inside of another module", "os")),
    "asyncore": ("there is no network", "asyncio"),
    "cgitb": ("there is no server", "traceback.format_exc()"),
    "filecmp": ("it is not among the open modules", "open() and a comparison, or difflib"),
    "gettext": ("there is one locale, C", "a dict of texts"),
    "linecache": ("it is not among the open modules", "open() and readlines()"),
    "logging.config": ("it loads classes by name", "logging.basicConfig() or logging.getLogger()"),
    "plistlib": ("it is not among the open modules", "json or xml.etree.ElementTree"),
    "pydoc": ("there is no pager", "print(x.__doc__)"),
    **dict.fromkeys(words("pickle shelve marshal copyreg dill"), ("unpickling runs code", "json")),
    **dict.fromkeys(
        words("sqlite3 dbm sqlalchemy psycopg2 pymysql mysql pymongo redis"),
        ("there is no database", "dicts and lists, or a tool"),
    ),
    "numpy": ("it is not enabled in this sandbox", "math, statistics and lists"),
    "pandas": ("it is not enabled in this sandbox", "csv, statistics, dicts and lists"),
    **dict.fromkeys(
        words("scipy sklearn statsmodels sympy networkx torch tensorflow nltk spacy"),
        (_ABSENT, "math, statistics and functions of your own"),
    ),
    **dict.fromkeys(
        words("matplotlib seaborn plotly bokeh tkinter turtle pygame"),
        ("there is no screen", "print(), or return the numbers"),
    ),
    **dict.fromkeys(
        words("bs4 lxml html5lib"), (_ABSENT, "html.parser, xml.etree.ElementTree, re")
    ),
    **dict.fromkeys(words("dateutil pytz arrow pendulum"), (_ABSENT, "datetime and zoneinfo")),
    **dict.fromkeys(words("pydantic attr attrs marshmallow"), (_ABSENT, "dataclasses")),
    **dict.fromkeys(words("openpyxl xlrd xlsxwriter docx"), (_ABSENT, "csv")),
    **dict.fromkeys(words("simplejson orjson ujson"), (_ABSENT, "json")),
    **dict.fromkeys(
        words("tabulate rich tqdm colorama termcolor prettytable"), (_ABSENT, "print()")
    ),
    **dict.fromkeys(words("click typer fire docopt"), (_ABSENT, "argparse")),
    **dict.fromkeys(words("yaml ruamel"), (_ABSENT, "json, or tomllib for settings")),
    "toml": (_ABSENT, "tomllib"),
    "typing_extensions": (_ABSENT, "typing"),
    "regex": (_ABSENT, "re"),
    "jinja2": (_ABSENT, "f-strings or string.Template"),
    "faker": (_ABSENT, "random"),
    "cryptography": (_ABSENT, "hashlib, hmac and secrets"),
    "getpass": ("nobody is there to type", "a value in the program"),
    "unittest.mock": ("it replaces attributes of modules", "functions and classes of your own"),
    "pytest": (_ABSENT, "unittest, or assert"),
}
