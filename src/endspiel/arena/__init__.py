"""Where agents meet: dealing, matches, estimators, tournaments, records, and the ACPC protocol.

Words used throughout:

seat        where an agent sits for a whole match; in a match of A and B, A has seat 0 of section 0
position    where a seat is in one hand: seats move by one position a hand
section     one run of hands with fixed seats; a duplicate match has two, with the same deals and
            the seats exchanged
pair        the two hands of a duplicate match that share a deal
"""

from endspiel.agent import register

register("acpc", "endspiel.arena.protocol.external:make")
register("lbr", "endspiel.arena.estimators.local_best_response:make")
