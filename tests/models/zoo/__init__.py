"""The zoo: one file a model. Importing this package registers all of them in common.MODELS."""

import importlib
import pkgutil

for _module in pkgutil.iter_modules(__path__):
    importlib.import_module(f"{__name__}.{_module.name}")
