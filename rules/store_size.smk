# The same cases among unrelated rows.
STORE_SIZE_FIGURE = []
