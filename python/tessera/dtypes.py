"""Element types: StableHLO's names, the C library's numbers and NumPy's dtypes.

Types narrower than a byte take a byte each on both sides. Those that NumPy has not are ml_dtypes',
imported when one is met.
"""

import numpy as np

from . import errors

# Number in tsr_dtype, name in StableHLO, name in NumPy or ml_dtypes.
_ROWS = (
    (1, "i1", "bool"), (2, "i2", "int2"), (3, "i4", "int4"), (4, "i8", "int8"),
    (5, "i16", "int16"), (6, "i32", "int32"), (7, "i64", "int64"), (8, "ui2", "uint2"),
    (9, "ui4", "uint4"), (10, "ui8", "uint8"), (11, "ui16", "uint16"), (12, "ui32", "uint32"),
    (13, "ui64", "uint64"), (14, "f4E2M1FN", "float4_e2m1fn"), (15, "f6E2M3FN", "float6_e2m3fn"),
    (16, "f6E3M2FN", "float6_e3m2fn"), (17, "f8E3M4", "float8_e3m4"),
    (18, "f8E4M3", "float8_e4m3"), (19, "f8E4M3FN", "float8_e4m3fn"),
    (20, "f8E4M3FNUZ", "float8_e4m3fnuz"), (21, "f8E4M3B11FNUZ", "float8_e4m3b11fnuz"),
    (22, "f8E5M2", "float8_e5m2"), (23, "f8E5M2FNUZ", "float8_e5m2fnuz"),
    (24, "f8E8M0FNU", "float8_e8m0fnu"), (25, "bf16", "bfloat16"), (26, "f16", "float16"),
    (27, "f32", "float32"), (28, "f64", "float64"), (29, "complex<f32>", "complex64"),
    (30, "complex<f64>", "complex128"),
)
_NUMPY_NAME = {number: name for number, _, name in _ROWS}
_NUMBER = {name: number for number, _, name in _ROWS}


def name_of(number):
    """ "float32" of TSR_F32. """
    if number not in _NUMPY_NAME:
        raise errors.Unimplemented(f"element type {number} has no NumPy dtype")
    return _NUMPY_NAME[number]


def to_numpy(number):
    """The NumPy dtype of a number; ml_dtypes is imported where NumPy has none."""
    name = name_of(number)
    if hasattr(np, name) or name == "bool":
        return np.dtype(name)
    try:
        import ml_dtypes
    except ImportError:
        raise errors.Unimplemented(
            f"{name} needs the package ml_dtypes: pip install ml_dtypes") from None
    return np.dtype(getattr(ml_dtypes, name))


def named(name):
    """The NumPy dtype of a name as name_of gives it."""
    return to_numpy(_NUMBER[name])


def number_of(dtype):
    """The number of a NumPy dtype, in any byte order."""
    if dtype.name not in _NUMBER:
        raise errors.InvalidArgument(f"NumPy's {dtype.name} is no element type of StableHLO")
    return _NUMBER[dtype.name]
