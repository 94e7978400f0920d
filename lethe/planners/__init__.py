"""Planners: what decides at mutation time which rows a request means, and what becomes of them."""
