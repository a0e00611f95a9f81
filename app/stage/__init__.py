"""The stage: scenes full screen, for an audience; and what the speaker sees beside them."""
