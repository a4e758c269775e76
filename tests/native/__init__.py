"""Tests of the native library."""
