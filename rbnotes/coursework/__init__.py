"""Tools for courses: challenges, grading and claim cards.

- :mod:`~rbnotes.coursework.challenge`: check a function against the record of a claim;
- :mod:`~rbnotes.coursework.grading`: grade the submissions of a class, each in a process of its own;
- :mod:`~rbnotes.coursework.cards`: what a claim says, what to submit, and code to paste.
"""
