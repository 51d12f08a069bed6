"""Is Worth better than all that was published, and what is each part of it for?"""
