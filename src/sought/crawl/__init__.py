"""How is the budget spent, and what do we know afterwards?"""
