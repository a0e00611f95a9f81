"""Collectives along the rings and trees that NCCL or RCCL has chosen, as read from its log."""
