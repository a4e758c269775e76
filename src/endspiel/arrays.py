"""Array types by what they hold: one name each, in every module."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Bools = NDArray[np.bool_]
Extended = NDArray[np.longdouble]
Float32s = NDArray[np.float32]
Float64s = NDArray[np.float64]
Floats = NDArray[np.floating]  # of either precision
Indices = NDArray[np.uint32]  # unsigned: the compiler need not look for indices from the end
Int16s = NDArray[np.int16]
Int32s = NDArray[np.int32]
Int8s = NDArray[np.int8]
Ints = NDArray[np.int64]
UInt16s = NDArray[np.uint16]
UInt32s = NDArray[np.uint32]
UInt64s = NDArray[np.uint64]
UInt8s = NDArray[np.uint8]
Unsigneds = NDArray[np.unsignedinteger[Any]]
