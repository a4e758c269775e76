"""Rivers solved exactly: the 2015 paper's buckets and linear program.

river        a river as it is met; menus says what may be bet there
buckets      Algorithm 5: hands in buckets by equity
game         a river in buckets as a `Game`; exact solves it as one program
spots        the same for a user's own river
"""
