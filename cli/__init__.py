"""The command quincunx: argument parsing only."""
