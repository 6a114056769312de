# class: mutation
# layer: language
# must: write nothing to a class of the library
# ends: exception
import calendar, json
calendar.Calendar.__init__(json.JSONEncoder, 3)
print(WON, json.JSONEncoder.firstweekday)
