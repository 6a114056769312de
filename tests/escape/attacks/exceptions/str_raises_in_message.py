# class: exceptions
# layer: language
# must: show no frame, no host path and no endless text
class E(Exception):
    def __str__(self):
        raise SystemExit(WON[:3])


raise E
