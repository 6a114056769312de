# class: library
# layer: language
# must: give nothing of the host
import platform

told = {platform.node(), platform.release(), platform.version(), *platform.uname()}
if told - {"sandbox", "Linux", "", platform.machine()}:
    print(WON, told)
