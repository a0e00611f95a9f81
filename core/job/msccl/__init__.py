"""MSCCL: schedules of collectives that the thread blocks of GPUs execute step by step."""
