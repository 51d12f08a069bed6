"""What has a page to do with a topic?"""
