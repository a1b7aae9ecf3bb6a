"""Makes the wheel: the package, libtessera.so and the providers of its kernels beside it, in a zip as PEP 427 has it.

A build backend of its own (PEP 517), since there is nothing to compile here and so nothing else to
install: `make wheel`, or `pip install ./python` in a tree that `make` was run in. The library needs
libc and libm only. A provider needs oneDNN, LLVM or LAPACK; where that is not installed, it is not loaded. The platform's tag says the oldest glibc that has all symbols it uses (PEP 600).
The same tree gives the same bytes.
"""

import base64
import hashlib
import os
import pathlib
import platform
import re
import subprocess
import sys
import tempfile
import tomllib
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent


def _library():
    path = ROOT / "build" / "libtessera.so"
    if not path.exists():
        raise SystemExit(f"{path} is not there: run make first")
    return path.resolve()


PROVIDERS = "onednn", "llvm", "lapack"  # of kernels; the package does not start processes, so it needs no MPI


def _providers():
    paths = [ROOT / "build" / f"libtessera_{name}.so" for name in PROVIDERS]
    return [(f"tessera/{path.name}", _stripped(path)) for path in paths if path.exists()]


def _stripped(library):
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "libtessera.so")
        subprocess.run(["strip", "--strip-unneeded", "-o", out, library], check=True)
        return pathlib.Path(out).read_bytes()


def _tag(library):
    symbols = subprocess.run(["objdump", "-T", library], check=True, capture_output=True,
                             text=True).stdout
    versions = {tuple(map(int, v.split("."))) for v in re.findall(r"GLIBC_([\d.]+)", symbols)}
    major, minor = max(versions)[:2]
    return f"py3-none-manylinux_{major}_{minor}_{platform.machine()}"


def _version():
    return re.search(r"^VERSION *:= *(\S+)", (ROOT / "Makefile").read_text(), re.M).group(1)


def _metadata(project, version):
    lines = ["Metadata-Version: 2.1", f"Name: {project['name']}", f"Version: {version}",
             f"Summary: {project['description']}", f"License: {project['license']['text']}",
             f"Requires-Python: {project['requires-python']}"]
    lines += [f"Requires-Dist: {needed}" for needed in project["dependencies"]]
    for extra, needs in project["optional-dependencies"].items():
        lines.append(f"Provides-Extra: {extra}")
        lines += [f'Requires-Dist: {needed}; extra == "{extra}"' for needed in needs]
    lines += ["Description-Content-Type: text/markdown", "", (HERE / "README.md").read_text()]
    return "\n".join(lines)


def _record(files, name):
    rows = []
    for path, data in files:
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        rows.append(f"{path},sha256={digest},{len(data)}")
    return "\n".join(rows + [f"{name},,", ""]).encode()


def _write(directory, package, tag):
    """package: (path in the wheel, bytes) of what is installed."""
    project = tomllib.loads((HERE / "pyproject.toml").read_text())["project"]
    version = _version()
    stem = f"{project['name'].replace('-', '_')}-{version}"
    info = f"{stem}.dist-info"
    wheel = f"Wheel-Version: 1.0\nGenerator: tessera\nRoot-Is-Purelib: false\nTag: {tag}\n"
    files = package + [(f"{info}/METADATA", _metadata(project, version).encode()),
                       (f"{info}/WHEEL", wheel.encode()),
                       (f"{info}/licenses/LICENSE", (ROOT / "LICENSE").read_bytes())]
    files.append((f"{info}/RECORD", _record(files, f"{info}/RECORD")))
    name = f"{stem}-{tag}.whl"
    with zipfile.ZipFile(os.path.join(directory, name), "w", zipfile.ZIP_DEFLATED) as out:
        for path, data in files:
            entry = zipfile.ZipInfo(path)  # 1980: the same bytes each time
            entry.external_attr = 0o644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            out.writestr(entry, data)
    return name


# ---- PEP 517 and 660 ----

def get_requires_for_build_wheel(config_settings=None):
    return []


get_requires_for_build_editable = get_requires_for_build_wheel


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    library = _library()
    modules = [(f"tessera/{path.name}", path.read_bytes())
               for path in sorted([*(HERE / "tessera").glob("*.py"), HERE / "tessera" / "py.typed"])]
    return _write(wheel_directory, modules + [("tessera/libtessera.so", _stripped(library))] + _providers(),
                  _tag(library))


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    return _write(wheel_directory, [("tessera_spmd.pth", f"{HERE}\n".encode())], "py3-none-any")


def build_sdist(sdist_directory, config_settings=None):
    raise SystemExit("there is no source distribution: the C library is built by make")


if __name__ == "__main__":
    os.makedirs(sys.argv[1], exist_ok=True)
    for old in pathlib.Path(sys.argv[1]).glob("*.whl"):
        old.unlink()
    print(os.path.join(sys.argv[1], build_wheel(sys.argv[1])))
