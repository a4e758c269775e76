"""Value nets: what hands are worth where the turn begins, learned from exact solves of it."""
