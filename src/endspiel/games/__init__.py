"""Builders: from rules, trees and files to `Game`."""
