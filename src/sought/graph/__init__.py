"""Who links to whom, and what flows along?"""
