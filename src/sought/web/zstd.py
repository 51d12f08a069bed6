"""Zstandard from the standard library; before Python 3.14 from its backport."""

import sys

if sys.version_info >= (3, 14):
    from compression.zstd import DecompressionParameter, ZstdDecompressor, ZstdError, compress
else:
    from backports.zstd import DecompressionParameter, ZstdDecompressor, ZstdError, compress

__all__ = ["DecompressionParameter", "ZstdDecompressor", "ZstdError", "compress"]
