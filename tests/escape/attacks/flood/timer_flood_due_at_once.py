# class: flood
# layer: raw
# must: cost the host nothing that grows
# ends: timeout violation limit
# limits: wall_s=0.7
n = 0
while True:
    part = []
    for _ in range(2000):
        n += 1
        part.append(frame(pack({"t": "timer", "n": n, "seconds": 0.0})))
    write(b"".join(part))
