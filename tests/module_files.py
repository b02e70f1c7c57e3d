"""Modules from single files, which tests write."""

import sys
from importlib.util import module_from_spec, spec_from_file_location


def load_file(path, name=None):
    """Return a new module with the code of a file, under a name that may be in use in ``sys.modules``."""
    spec = spec_from_file_location(name or path.stem, path)
    module = sys.modules[spec.name] = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
