"""What is a recorded web, and how is one made?"""
