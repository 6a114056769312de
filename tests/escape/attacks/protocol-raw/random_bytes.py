# class: protocol-raw
# layer: raw
# must: end the guest, and nobody else
# ends: violation
import random

write(random.Random(1).randbytes(100000))
wait()
