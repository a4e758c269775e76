"""Long work as data: each job is one struct, from which its command and its record follow."""
