"""The steps of the analysis, one module for each rule; `lethe.analysis.plan` says on which files they work."""
