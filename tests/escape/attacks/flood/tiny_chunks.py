# class: flood
# layer: raw
# must: cost the host nothing that grows
# ends: timeout violation limit
# limits: wall_s=0.7
part = frame(pack({"t": "chunk", "of": "call", "size": 16 << 20, "data": b"ab"}))
while True:
    write(part * 2000)
