"""The compiled simulation loop: free motion, constraint projection, callbacks into Python."""
