# SPDX-License-Identifier: Apache-2.0
"""Packs the Python package and an installation of ppsweep into a wheel: pack.py PACKAGE INSTALLATION FOLDER."""

import base64
import hashlib
import os
import platform
import re
import sys
import zipfile
from pathlib import Path

PARTS = ("bin/ppsweep", "lib/libppsweep.so.0", "lib/ppsweep-libraries/*", "share/ppsweep/**/*")


def metadata(package):
    project = (package / "pyproject.toml").read_text(encoding="utf-8")
    values = dict(re.findall(r'^(version|description|requires-python) = "(.*)"$', project, re.M))
    needs = re.search(r"^dependencies = \[(.*)\]$", project, re.M)[1]
    head = ["Metadata-Version: 2.1", "Name: ppsweep", f"Version: {values['version']}",
            f"Summary: {values['description']}", f"Requires-Python: {values['requires-python']}",
            *(f"Requires-Dist: {need}" for need in re.findall(r'"(.*?)"', needs)),
            "Description-Content-Type: text/markdown", "",
            (package / "README.md").read_text(encoding="utf-8")]
    return values["version"], "\n".join(head)


def files(package, installation, version):
    for path in sorted((package / "ppsweep").iterdir()):
        if path.is_file():
            yield f"ppsweep/{path.name}", path
    for part in PARTS:
        for path in sorted(installation.glob(part)):
            if path.is_file():
                folder = "scripts" if part.startswith("bin/") else "data"
                name = path.name if folder == "scripts" else path.relative_to(installation)
                yield f"ppsweep-{version}.data/{folder}/{name}", path


def main(package, installation, folder):
    version, text = metadata(package)
    libc = "_".join(platform.libc_ver()[1].split(".")[:2])
    tag = f"py3-none-manylinux_{libc}_{platform.machine()}"
    info = f"ppsweep-{version}.dist-info"
    wheel = f"Wheel-Version: 1.0\nGenerator: packaging/wheel\nRoot-Is-Purelib: false\nTag: {tag}\n"
    path = folder / f"ppsweep-{version}-{tag}.whl"
    record = []
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out:
        def add(name, data, mode=0o644):
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.external_attr = (0o100000 | mode) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            out.writestr(entry, data)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            record.append(f"{name},sha256={digest},{len(data)}")
        for name, source in files(package, installation, version):
            add(name, source.read_bytes(), 0o755 if os.access(source, os.X_OK) else 0o644)
        add(f"{info}/METADATA", text.encode())
        add(f"{info}/WHEEL", wheel.encode())
        record.append(f"{info}/RECORD,,")
        out.writestr(f"{info}/RECORD", "\n".join(record) + "\n")
    print(path)


main(*map(Path, sys.argv[1:]))
