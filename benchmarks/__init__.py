"""How fast is it, beside others, in one run?"""
