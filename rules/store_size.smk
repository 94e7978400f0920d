# The same cases among unrelated rows.
