"""Whole trees before the flop, whose flops are worth what play makes of them."""
