"""Numbers of exercises on the pages."""

from types import SimpleNamespace

from rbnotes_book import exercises


def test_exercise_numbers_restart_on_pages_without_a_number():
    env = SimpleNamespace(
        toc_fignumbers={
            "rotations": {"exercise": {"a": (1, 1), "b": (1, 2)}},
            "look-it-up": {"exercise": {"c": (1,), "d": (2,)}},
            "for-lecturers": {"exercise": {"e": (3,), "f": (4,)}, "figure": {"g": (9,)}},
        }
    )
    exercises.restart_exercise_numbers(None, env)
    assert env.toc_fignumbers == {
        "rotations": {"exercise": {"a": (1, 1), "b": (1, 2)}},
        "look-it-up": {"exercise": {"c": (1,), "d": (2,)}},
        "for-lecturers": {"exercise": {"e": (1,), "f": (2,)}, "figure": {"g": (1,)}},
    }
