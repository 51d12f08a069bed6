"""Which rule refreshes best, and who knows how often pages change?"""
