# class: resource
# layer: resource
# must: be ended by its own limit
# ends: exception violation
import resource

resource.setrlimit(resource.RLIMIT_AS, (-1, -1))
print(WON)
