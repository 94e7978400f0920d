"""The steps of the analysis, one module for each rule; `lethe.study.plan` finds them."""
