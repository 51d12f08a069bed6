"""How are the bytes of a URL fetched, politely?"""
