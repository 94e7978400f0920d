"""What a reviewer checks: that files are as they were written, and that every table follows from them."""
