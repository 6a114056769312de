# class: resource
# layer: resource
# must: be ended by its own limit
# ends: memory_limit exception
"\t".expandtabs(10**10)
