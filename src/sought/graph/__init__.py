"""Which pages link to which, and what flows along the links?"""
