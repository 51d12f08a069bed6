"""Is Worth better than every published policy, and what is each part of it for?"""
