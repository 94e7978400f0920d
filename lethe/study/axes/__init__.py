"""What configurations run: each module is an axis, and `lethe.study.runs` finds it."""
