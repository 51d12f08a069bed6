"""How often would a new page be among the first results of searches?"""
