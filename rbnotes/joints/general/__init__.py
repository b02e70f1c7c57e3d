"""Joints given as functions of their coordinates, and ready-made ones of surfaces, curves and gears.

A function is traced once with symbolic arguments and differentiated by casadi, an optional extra.
"""
