"""T. Tran, K. Turk, B. B. Cambazoglu, W. Nejdl, A Random Walk Model for Optimization of Search Impact in Web Frontier
Ranking, SIGIR 2015.
"""
