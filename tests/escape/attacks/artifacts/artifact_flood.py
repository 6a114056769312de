# class: artifacts
# layer: raw
# must: be limited
# ends: limit violation
n = 0
while True:
    n += 1
    send(t="artifact", path=str(n), data=b"x" * 10000)
