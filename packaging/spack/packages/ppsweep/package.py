# A recipe for Spack. In the root of the sources:
#   spack repo add packaging/spack
#   spack dev-build ppsweep@main
from spack.package import *


class Ppsweep(CMakePackage):
    """Parameter sweeps over models of pipeline-parallel training of large neural networks."""

    license("Apache-2.0")

    # The sources have no published address yet: build them where they are, with spack dev-build.
    version("main")

    variant("isal", default=True, description="Fast compression by isa-l")
    variant("plot", default=True, description="Pictures by gnuplot and rsvg-convert")

    depends_on("c", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("gzip", type="build")
    depends_on("cjson")
    depends_on("libcsv")
    depends_on("libyaml")
    depends_on("xxhash")
    depends_on("zlib-api")
    depends_on("isa-l", when="+isal")
    depends_on("gnuplot", type="run", when="+plot")
    depends_on("librsvg", type="run", when="+plot")

    generator("ninja")

    def cmake_args(self):
        return [
            self.define("PPS_TESTS", False),
            self.define("PPS_NATIVE", False),
            self.define_from_variant("PPS_ISAL", "isal"),
        ]

    @run_after("install")
    @on_package_attributes(run_tests=True)
    def check_install(self):
        Executable(self.prefix.bin.ppsweep)("--version")
