"""Played hands, decision by decision, against solved strategies."""
