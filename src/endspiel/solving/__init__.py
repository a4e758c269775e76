"""The one door: tasks, the methods that solve them, and solutions to look things up in."""
