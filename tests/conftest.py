from hypothesis import settings

# The same examples in every run, and no time limit that a busy machine could break.
settings.register_profile("quincunx", deadline=None, derandomize=True, database=None)
settings.load_profile("quincunx")
