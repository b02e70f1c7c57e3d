"""Contact impulses, joint constraints and the velocity update of a time step."""
