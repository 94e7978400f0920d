"""ForgetEval-Long: histories of hundreds of dated facts in which k binds and time passes since something was forgotten.

A seeded program makes them from written material (`suites/long`).
"""
