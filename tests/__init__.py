"""Tests; they mirror core/ and app/."""
