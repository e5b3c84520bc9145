"""Spaced-repetition quiz in the terminal for AI-infrastructure interviews."""

__version__ = "0.1.0"
