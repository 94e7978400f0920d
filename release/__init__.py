"""What a release is made of, and the check of it where nothing else of the project is: `make release`."""
