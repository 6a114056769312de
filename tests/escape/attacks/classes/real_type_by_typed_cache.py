# class: classes
# layer: language
# must: not make a class unchecked
import functools, types
M = (1 << 64) - 1
P1, P2, P5 = 11400714785074694791, 14029467366897019727, 2870177450012600261
I1, I2 = pow(P1, -1, 1 << 64), pow(P2, -1, 1 << 64)
K = P5 ^ 3527539
rotl = lambda x: ((x << 31) | (x >> 33)) & M
rotr = lambda x: ((x >> 31) | (x << 33)) & M
step = lambda acc, lane: rotl((acc + (lane & M) * P2) & M) * P1 & M
back = lambda acc, lane: (rotr(acc * I1 & M) - (lane & M) * P2) & M
got = []
class C: pass
class O:
    def __hash__(self): return want
    def __eq__(self, other):
        got.append(other)
        return False
ht = hash(type)
after_c = step(P5, hash(C))
H = (step(after_c, ht) + (2 ^ K)) & M
acc = (H - (4 ^ K)) & M
acc = back(acc, hash(O))
acc = back(acc, ht)
lane = ((rotr(acc * I1 & M) - after_c) * I2) & M
want = lane - (1 << 64) if lane >> 63 else lane
@functools.lru_cache(maxsize=None, typed=True)
def f(*a): return None
f(C)
f(C, O())
real = got[0]
print(real, real is type, real == type)
G = real('G', (types.GenericAlias,), {'__getattribute__': lambda s, n: ('any', n)})
print(real('X', (), {'__getattribute__': lambda s, n: ('any', n), '__class__': property(lambda s: int)})().x)
Meta = real('Meta', (real,), {})
print(Meta('Y', (), {}), real(Meta))
print(WON)
