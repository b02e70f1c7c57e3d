"""Records for the linear-time dynamics paper of Si and Guenter."""
