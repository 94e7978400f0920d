"""Faults and attacks that once did harm, by theme: each test is the attack, and what has to hold all the same."""
