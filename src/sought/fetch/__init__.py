"""Here is a URL: get me the bytes, politely."""
