# class: classes
# layer: language
# must: not make a class unchecked
import typing
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
class E2:
    def __hash__(self): return 7
    def __eq__(self, other): return True
class O:
    def __hash__(self): return want
    def __eq__(self, other):
        got.append(other)
        return False
L, TL, ht = hash(typing.Literal), hash(type(typing.Literal)), hash(type)
acc = P5
for lane in (L, hash(C), TL, ht): acc = step(acc, lane)
H = (acc + (4 ^ K)) & M
acc = (H - (8 ^ K)) & M
for lane in (hash(O), hash(E2), ht, TL): acc = back(acc, lane)
before = P5
for lane in (L, hash(C), 7): before = step(before, lane)
lane = ((rotr(acc * I1 & M) - before) * I2) & M
want = lane - (1 << 64) if lane >> 63 else lane
typing.Literal[C]
typing.Literal[C, E2(), O()]
print(got)
real = [g for g in got if g == type][0]
print(real('X', (), {'__getattribute__': lambda s, n: ('any', n)})().x)
print(WON)
