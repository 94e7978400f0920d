"""What a purge or release asks for, and which memories it means."""
