# class: flood
# layer: raw
# must: cost the host nothing that grows
# ends: timeout violation limit output_limit
# limits: wall_s=0.5
part = frame(pack({"t": "out", "stream": "stdout", "text": ""})) * 5000
while True:
    write(part)
