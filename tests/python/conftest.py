"""Eight CPU devices, before anything imports JAX; and XLA compiles quickly rather than well."""

import os

os.environ["JAX_PLATFORMS"] = "cpu"
for flag in ("--xla_force_host_platform_device_count=8", "--xla_backend_optimization_level=0"):
    if flag.split("=")[0] not in os.environ.get("XLA_FLAGS", ""):
        os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + " " + flag
