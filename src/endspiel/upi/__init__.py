"""PioSOLVER's scripting protocol (UPI): commands in, answers out, one line at a time."""

from endspiel.upi.session import UpiSession

__all__ = ["UpiSession"]
