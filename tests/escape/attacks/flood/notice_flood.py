# class: flood
# layer: raw
# must: cost the host nothing that grows
# ends: timeout violation limit output_limit
# limits: wall_s=0.5
part = frame(pack({"t": "notice", "text": "x" * 900})) * 500
while True:
    write(part)
