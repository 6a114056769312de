# class: flood
# layer: raw
# must: cost the host nothing that grows
# ends: output_limit
# limits: log_entries=5000
part = frame(pack({"t": "out", "stream": "stdout", "text": "x"})) + frame(
    pack({"t": "out", "stream": "stderr", "text": "y"})
)
while True:
    write(part * 2000)
