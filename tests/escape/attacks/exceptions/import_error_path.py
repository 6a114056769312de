# class: exceptions
# layer: language
# must: show no frame, no host path and no endless text
try:
    import subprocess
except ImportError as e:
    print("inert", e.name, e.path)
    print(WON if e.path else "inert")
    raise
