"""The detector of residue: what files still hold of an erased memory, in whatever form and place."""
