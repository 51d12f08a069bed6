"""Which rule refreshes best, and which estimator knows how often pages change?"""
