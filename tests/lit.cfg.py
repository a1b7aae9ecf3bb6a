# Golden tests: each .mlir or .test file holds its command (RUN:), its input and what is expected.
# tools/test passes the directory of the build under test, so that a sanitized build runs the same files.
import os

import lit.formats

here = os.path.dirname(os.path.abspath(__file__))
root = os.path.dirname(here)
out = lit_config.params.get("out", os.path.join(root, "build"))
bindir = lit_config.params.get("bindir", "/usr/lib/llvm-19/bin")
corpora = os.path.normpath(os.path.join(root, lit_config.params.get("corpora", "../shared/corpora")))

config.name = "tessera"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs", "data", "fuzz"]
config.test_source_root = here
config.test_exec_root = os.path.join(out, "lit")

config.environment["LC_ALL"] = "C"
for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS", "REQUIRE_ALL"):
    if name in os.environ:
        config.environment[name] = os.environ[name]

for tool in ("FileCheck", "split-file", "not", "count"):
    config.substitutions.append((r"(?<![\w/%.-])" + tool + r"(?![\w.-])", os.path.join(bindir, tool)))
# A deadlock must fail its test, not hang the suite (lit's own limit needs psutil).
config.substitutions.append(
    (r"(?<![\w/%.-])tessera(?= )", "timeout 120 " + os.path.join(out, "tessera")))
config.substitutions.append(
    (r"(?<![\w/%.-])sdy_opt(?= )", "timeout 120 " + os.path.join(out, "tools", "sdy_opt")))
config.substitutions.append(("%corpora", corpora))
config.substitutions.append(("%root", root))
config.substitutions.append(("%out", out))

if os.path.isdir(corpora):
    config.available_features.add("corpora")
for name in ("asan", "tsan"):
    if os.path.basename(out) == name:
        config.available_features.add(name)
