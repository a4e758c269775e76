"""Hypothesis without deadlines: timings, such as a first compilation, never decide a test."""

from hypothesis import settings

settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")
