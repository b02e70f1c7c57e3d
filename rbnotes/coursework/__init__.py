"""Tools for courses: challenges, grading and claim cards.

- :mod:`~rbnotes.coursework.challenge`: test a function against the record of a claim;
- :mod:`~rbnotes.coursework.grading`: grade the submissions of a class, each in its own process;
- :mod:`~rbnotes.coursework.cards`: statement, task and code of a claim.
"""
