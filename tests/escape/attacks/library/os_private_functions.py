# class: library
# layer: language
# must: start and reach no process
import os
CALLS = {"system": ("true",), "popen": ("true",), "fork": (), "execv": ("/bin/true", ["true"]), "kill": (1, 0), "pipe": (), "dup": (3,), "setuid": (0,), "posix_spawn": ("/bin/true", ["true"], {}), "spawnl": (0, "/bin/true", "true"), "memfd_create": ("x",), "unshare": (0,), "chroot": ("/",), "openpty": ()}
for name, arguments in CALLS.items():
    try:
        print(WON, name, getattr(os, name)(*arguments))
    except Exception as e:
        print("inert", name, type(e).__name__)
