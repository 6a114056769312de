# class: artifacts
# layer: raw
# must: be limited
# ends: limit violation
while True:
    if send(t="artifact", path="a", data=b"x" * 1000000) < 0:
        break
