"""How is the budget spent?  What is fetched next, from which host, when, and until when?"""
