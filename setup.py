"""Builds the kernels with the package; everything else about it stands in pyproject.toml.

The library is called through ctypes and knows nothing of Python, so that one wheel of a platform
serves every Python. An editable installation has it beside the sources.
"""

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

from setuptools import Distribution, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_py import build_py

PLACE = Path("endspiel", "native")
spec = spec_from_file_location("build_kernels", Path(__file__).parent / "src" / PLACE / "build.py")
kernels = module_from_spec(spec)
spec.loader.exec_module(kernels)


class BuildWithKernels(build_py):
    """Copies the modules and compiles the kernels beside them."""

    def run(self):
        super().run()
        if self.editable_mode:
            kernels.build()
        else:
            kernels.build(Path(self.build_lib) / PLACE / "lib" / kernels.library_name())


class PlatformWheel(bdist_wheel):
    """A wheel of this platform for every Python."""

    def get_tag(self):
        return "py3", "none", super().get_tag()[2]


class PlatformPackage(Distribution):
    """A package with compiled parts, though with no extension module."""

    def has_ext_modules(self):
        return True


no_compiler = kernels.found_compiler() is None and not kernels.has_zig()
setup(
    distclass=PlatformPackage,
    cmdclass={"build_py": BuildWithKernels, "bdist_wheel": PlatformWheel},
    setup_requires=[kernels.ZIG] if no_compiler else [],
)
