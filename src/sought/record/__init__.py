"""What do we know?"""
