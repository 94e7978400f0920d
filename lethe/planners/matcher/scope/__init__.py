"""What a purge or release asks for, and which rows it means."""
