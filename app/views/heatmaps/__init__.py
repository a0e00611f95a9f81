"""Heatmaps: bundles between groups as matrices, tasks of the job as a grid."""
