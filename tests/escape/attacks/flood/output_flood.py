# class: flood
# layer: raw
# must: cost the host nothing that grows
# ends: output_limit
part = frame(pack({"t": "out", "stream": "stdout", "text": "x" * 60000}))
while True:
    write(part)
