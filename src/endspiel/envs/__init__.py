"""Games as environments of Gymnasium and PettingZoo, and tables of pokerkit."""
