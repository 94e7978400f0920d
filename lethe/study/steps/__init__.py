"""The steps of the analysis, one module for each rule; `lethe.study.plan` says on which files they work."""
