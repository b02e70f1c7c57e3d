"""How many examples the property tests try: `--hypothesis-profile=deep` tries many more."""

from hypothesis import HealthCheck, settings

_COMMON = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow, HealthCheck.filter_too_much]}
settings.register_profile("suite", max_examples=25, derandomize=True, database=None, **_COMMON)
settings.register_profile("deep", max_examples=1000, **_COMMON)
settings.load_profile("suite")
