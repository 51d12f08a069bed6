"""Which pages are alike?"""
