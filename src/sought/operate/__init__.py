"""What is the state of a crawl, and what shall it do?"""
