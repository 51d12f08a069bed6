"""What is the first fetch of a page worth?"""
