"""Pointer tools: the meaning of presses, drags and clicks in the views."""
