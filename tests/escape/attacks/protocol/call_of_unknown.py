# class: protocol
# layer: protocol
# must: be a clear error or have no effect
# ends: exception
tools.admin_secret()
