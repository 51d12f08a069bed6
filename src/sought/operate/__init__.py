"""How does a crawl stand, and what shall it do?"""
