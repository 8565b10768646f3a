"""Label Studio at both ends: tasks and labeling configurations out, exports in."""
