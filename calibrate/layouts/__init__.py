"""Layouts in which published benchmarks keep clips and verdicts, each told by what lies in the folder.

One file a layout: `folders` (ours), `calibench`, `pawbench`, `vbench`, `physics_iq`; a hub data set is a manifest
(calibrate.manifest). `which` says of which layout a folder is; `verdict_tables` reads verdicts that are there already.
"""
