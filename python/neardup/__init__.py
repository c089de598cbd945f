"""Near-duplicate text, found, verified and removed."""
