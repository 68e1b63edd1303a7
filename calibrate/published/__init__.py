"""Scores of other benchmarks, exactly as published: CaliBench's mnTV; PAWBench's TVD, coverage and SPR.

They are here to be compared with; their faults are kept. What they cannot tell is in calibrate.stats.
"""
