"""How the matcher's trees are fitted to written cases, and how they are judged on authors left out."""
