# class: library
# layer: language
# must: give nothing of the host
import decimal

decimal.getcontext().prec = 3
decimal.DefaultContext.prec = 3
print("inert")
