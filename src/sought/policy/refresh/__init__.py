"""When is a known page worth another fetch?  Rules as published, one file each."""
