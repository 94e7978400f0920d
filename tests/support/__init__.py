"""What several test modules share: example data, scripted peers, misbehaving systems."""
