"""Planners: what decides at mutation time which memories a request means, and what becomes of them."""
