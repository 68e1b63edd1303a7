"""Speed, agreement with published tables, agreement with real experiments."""
