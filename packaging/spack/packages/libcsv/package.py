from spack.package import *


class Libcsv(AutotoolsPackage):
    """A small C library that reads and writes CSV. Spack has no package of it; these are Debian's sources."""

    homepage = "https://sourceforge.net/projects/libcsv/"

    license("LGPL-2.1-or-later")

    version(
        "3.0.3",
        url="https://deb.debian.org/debian/pool/main/libc/libcsv/libcsv_3.0.3+dfsg.orig.tar.gz",
        sha256="06fddfaca720a4be7603bad63eb1833bca5b6c5a69b42b1c518a02cda2a73aef",
    )

    depends_on("c", type="build")
