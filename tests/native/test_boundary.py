"""What passes between Python and the kernels: structures, checks, builds."""

import ctypes
import os
import pickle
import sys
import sysconfig
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from endspiel.errors import EndspielError
from endspiel.kernels.arrays import Discounts, Float32s, Float64s, Ints
from endspiel.kernels.board_arrays import BoardWalk, KernelStore, Meta, Seated
from endspiel.kernels.board_walk import bring_down, visit
from endspiel.native import build, library
from endspiel.native.boundary import PackedOnce, header, packed, pointer
from tests.children import output_of
from tests.games.spots import menu_sizing, small_game

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))
import native_layout

sys.path.pop(0)


class Inner(NamedTuple):
    numbers: Ints
    count: int


class Outer(NamedTuple):
    inner: Inner
    floats: Float32s


class Few(NamedTuple):
    numbers: Ints


class Once(Few, PackedOnce):
    pass


def fixed(array: Any) -> Any:
    """An array that may not be written."""
    array.flags.writeable = False
    return array


def address(at: Any) -> int | None:
    """Where a pointer points."""
    return ctypes.cast(at, ctypes.c_void_p).value


def outer(**changed: Any) -> Outer:
    made = {"numbers": np.arange(3), "floats": np.zeros((2, 4), np.float32)} | changed
    return Outer(Inner(made["numbers"], 7), made["floats"])


def test_the_header_is_made_of_the_structures() -> None:
    assert native_layout.HEADER.read_text() == native_layout.layout()
    assert header(Inner) == (
        "struct Inner {\n  int64_t* numbers;\n  int64_t numbers_size;\n  int64_t count;\n};"
    )
    columns = "".join(f"  int64_t {column.name.lower()};\n" for column in Meta)
    assert f"struct Meta {{\n{columns}}};" in native_layout.layout()


def test_a_structure_has_addresses_sizes_and_numbers() -> None:
    value = outer()
    found = packed(value)
    assert found.inner.numbers == value.inner.numbers.ctypes.data
    assert (found.inner.numbers_size, found.inner.count, found.floats_size) == (3, 7, 8)


@pytest.mark.parametrize(
    ("changed", "complaint"),
    [
        ({"numbers": np.arange(3, dtype=np.int32)}, "numbers has entries of int64, not int32"),
        ({"numbers": [1, 2]}, "numbers has entries of int64, not list"),
        ({"floats": np.zeros((4, 4), np.float32)[:, ::2]}, "floats does not lie in one piece"),
        ({"floats": np.zeros((4, 4), np.float32).T[1:]}, "floats does not lie in one piece"),
    ],
)
def test_other_arrays_are_refused(changed: dict[str, Any], complaint: str) -> None:
    with pytest.raises(TypeError, match=complaint):
        packed(outer(**changed))


@pytest.mark.parametrize("make", [lambda: np.arange(5), lambda: fixed(np.arange(5))])
@pytest.mark.parametrize(
    "point", [lambda a: pointer(a, np.int64), lambda a: packed(Inner(a, 1)), lambda a: Once(a)]
)
def test_arrays_live_as_long_as_what_points_at_them(
    make: Callable[[], Any], point: Callable[[Any], Any]
) -> None:
    array = make()
    at, alive = point(array), weakref.ref(array)
    del array
    assert alive() is not None
    del at
    assert alive() is None


def test_a_structure_that_is_packed_once_stays_behind_when_its_arrays_are_copied() -> None:
    value = Once(np.arange(4))
    assert value.packed is value.packed
    assert packed(value).numbers == value.numbers.ctypes.data
    copied = pickle.loads(pickle.dumps(value))
    np.testing.assert_array_equal(copied.numbers, value.numbers)
    assert copied.packed.numbers == copied.numbers.ctypes.data
    assert header(Once) == "struct Once {\n  int64_t* numbers;\n  int64_t numbers_size;\n};"


def test_numbers_may_have_fractions() -> None:
    assert packed(Discounts(0.5, 0.25, 1.0, 2.0)).negative == 0.25
    assert "  double negative;" in header(Discounts)


def test_a_structure_that_is_made_stays_as_it_is() -> None:
    made = packed(outer())
    assert packed(made) is made


def test_what_is_written_must_be_writable() -> None:
    array = fixed(np.zeros(4))
    assert address(pointer(array, np.float64)) == array.ctypes.data
    with pytest.raises(TypeError, match="may not be"):
        pointer(array, np.float64, written=True)


def test_a_pointer_may_start_further_on() -> None:
    for array in (np.zeros(4), fixed(np.zeros(4))):
        assert address(pointer(array, np.float64, start=3)) == array.ctypes.data + 24


def test_a_shape_is_checked_where_it_is_known() -> None:
    array = np.zeros((2, 3))
    assert address(pointer(array, np.float64, shape=(2, -1))) == array.ctypes.data
    for shape in ((3, -1), (2,), (2, 3, 1)):
        with pytest.raises(TypeError, match=r"an array has shape \(2, 3\), where"):
            pointer(array, np.float64, shape=shape)


def walk_of(game: Any, **changed: Any) -> BoardWalk:
    store = np.zeros(game.store_size, np.float32)
    nothing = np.zeros(0, np.float32)
    sums = KernelStore(store, store, np.zeros(game.num_nodes, np.uint8), nothing, nothing)
    work = np.zeros(game.work_size, np.float32)
    return BoardWalk(0, sums, work, np.zeros(len(game.tables.root), np.float32))._replace(**changed)


def test_a_walk_checks_what_it_is_given() -> None:
    game = small_game("Jc 6s 2c Kd Qc", ("AA", "KK"), menu_sizing("50%"))
    schedule, boards = np.zeros((1, 7)), np.array([0])
    visit(game.tables, 0, boards, (0, 2), schedule, walk_of(game))
    wide: Float64s = np.zeros(game.work_size)
    with pytest.raises(TypeError, match="work has entries of float32, not float64"):
        visit(game.tables, 0, boards, (0, 2), schedule, walk_of(game, work=wide))
    with pytest.raises(TypeError, match="a schedule has 7 columns"):
        visit(game.tables, 0, boards, (0, 2), schedule[:, :4], walk_of(game))
    with pytest.raises(TypeError, match="discounts are 7 numbers"):
        bring_down(game.tables, Seated(0, 0, 0), np.zeros(4), walk_of(game))
    with pytest.raises(IndexError, match="no board"):
        bring_down(game.tables, Seated(1, 0, 0), schedule[0], walk_of(game))


def test_builds_are_those_of_the_processor() -> None:
    assert library.builds()[0] == "base"
    assert set(library.builds()) <= set(build.BUILDS[build.family()])
    assert library.chosen_build() in library.builds()


def test_another_build_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(library.VARIABLE, "avx1024")
    with pytest.raises(EndspielError, match="ENDSPIEL_BUILD is 'avx1024': this processor runs"):
        library.chosen_build.__wrapped__()


def test_without_a_library_one_sentence_says_what_to_do(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv(library.LIBRARY, str(tmp_path / "nothing.so"))
    with pytest.raises(EndspielError, match=r"build them by python -m endspiel\.native\.build"):
        library.library.__wrapped__()


def test_the_library_is_not_older_than_its_sources() -> None:
    assert build.is_current(), "make, or python -m endspiel.native.build, compiles it again"


def test_where_there_is_no_compiler_the_packages_serves(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("CXX", raising=False)
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setattr(build, "find_spec", lambda name: None)
    with pytest.raises(build.BuildError, match=r"no C\+\+ compiler.*pip install ziglang"):
        build.compiler()
    monkeypatch.setattr(build, "find_spec", lambda name: object())
    assert build.compiler() == [sys.executable, "-m", "ziglang", "c++"]
    assert build._linker(build.compiler()) == [sys.executable, "-m", "ziglang", "cc"]
    assert build._linker(["c++"]) == ["c++"]
    assert "no C++ compiler on the PATH, so ziglang's" in capsys.readouterr().out


def test_pip_builds_with_the_compiler_of_the_environment_that_it_builds_for(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("CXX", raising=False)
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setattr(build, "find_spec", lambda name: None)
    monkeypatch.setattr(sysconfig, "get_path", lambda name: str(tmp_path))
    assert not build.has_zig()
    (tmp_path / build.ZIG).mkdir()
    assert build.compiler() == [sys.executable, "-I", "-m", "ziglang", "c++"]


def test_to_look_for_a_compiler_builds_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["build.py", "--compiler"])
    monkeypatch.setattr(build, "build", None)
    monkeypatch.setenv("CXX", "g++")
    assert build.main() == 0
    monkeypatch.delenv("CXX")
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setattr(build, "has_zig", lambda: False)
    assert build.main() == 2
    assert "there is no C++ compiler" in capsys.readouterr().err


def test_what_the_compiler_says_is_passed_on(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(
        build, "compiler", lambda: [sys.executable, "-c", "import sys; sys.exit('no')"]
    )
    with pytest.raises(build.BuildError, match="failed:\nno"):
        build.build(tmp_path / "library.so")


def test_a_variable_chooses_the_build() -> None:
    code = "from endspiel.native.library import chosen_build; print(chosen_build())"
    for name in library.builds():
        environment = {**os.environ, library.VARIABLE: name}
        assert output_of([sys.executable, "-c", code], env=environment).split() == [name]
