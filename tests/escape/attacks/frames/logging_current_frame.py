# class: frames
# layer: language
# must: be refused
import logging
print(WON, logging.currentframe())
