"""The check of a results folder: files are as they were written, and every table follows from them."""
