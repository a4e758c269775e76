"""Card abstraction: hands of each street grouped into buckets by what they may become."""
