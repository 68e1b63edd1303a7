"""Counts and verdicts to scores: statistics, studies, generators, reports."""
