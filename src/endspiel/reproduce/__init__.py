"""One module per table or figure of the papers, the paper's number beside ours.

What only they need is here, too: `last_street` for flop hold'em, `worst_case` over `integer`.
"""
