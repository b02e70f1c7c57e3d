"""The claims of the three sets of notes, one module or folder for each section."""
