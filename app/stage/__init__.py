"""The stage: scenes full screen for an audience, and the presenter's panel."""
