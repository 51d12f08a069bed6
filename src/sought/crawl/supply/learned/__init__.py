"""What do the scores of all orderings tell together?"""
