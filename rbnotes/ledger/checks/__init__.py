"""Checks of the records themselves: mutation tests, units, and honesty of forms, inputs and oracles."""
