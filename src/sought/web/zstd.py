"""Where does Zstandard come from?  The standard library, or its backport before Python 3.14."""

import sys

if sys.version_info >= (3, 14):
    from compression.zstd import DecompressionParameter, ZstdDecompressor, ZstdError, compress
else:
    from backports.zstd import DecompressionParameter, ZstdDecompressor, ZstdError, compress

__all__ = ["DecompressionParameter", "ZstdDecompressor", "ZstdError", "compress"]
