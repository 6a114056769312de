# class: resource
# layer: resource
# must: be ended by its own limit
# ends: memory_limit exception
import secrets

secrets.token_bytes(10**10)
