"""What every solver shares, whatever its game: schemes, the protocol of backends, the driver."""
