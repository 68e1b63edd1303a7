"""How does a picture of high dynamic range look on an ordinary screen, on which the judge was trained?"""

from __future__ import annotations

import numpy as np

PQ, HLG = 16, 18
"""Codes of the two transfer functions (ITU-T H.273, table 3)."""
TRANSFERS = {PQ: "PQ", HLG: "HLG"}
_BT2020 = 9
"""Code of the primaries (ITU-T H.273, table 2)."""
WHITE_NITS = 203.0
"""Luminance of a white sheet of paper, which becomes 255 (ITU-R BT.2408, table 1); what is brighter is cut off."""
_TO_BT709 = np.array([[1.6605, -0.5876, -0.0728], [-0.1246, 1.1329, -0.0083], [-0.0182, -0.1006, 1.1187]])
"""From linear BT.2020 to linear BT.709 primaries (ITU-R BT.2407, annex 2, eq. 2)."""


def pq_nits(signal: np.ndarray) -> np.ndarray:
    """Luminance in candela a square metre of PQ signals from 0 to 1.

    References:
        ITU-R BT.2100-2, table 4 (SMPTE ST 2084).
    """
    m1, m2 = 2610 / 16384, 2523 / 4096 * 128
    c1, c2, c3 = 3424 / 4096, 2413 / 4096 * 32, 2392 / 4096 * 32
    root = np.power(signal, 1 / m2)
    return np.asarray(10_000 * np.power(np.maximum(root - c1, 0) / (c2 - c3 * root), 1 / m1))


def hlg_nits(signal: np.ndarray) -> np.ndarray:
    """Luminance in candela a square metre of HLG signals (..., 3) from 0 to 1, on a screen of 1,000.

    References:
        ITU-R BT.2100-2, table 5 (inverse OETF; OOTF with gamma 1.2).
    """
    a = 0.17883277
    b, c = 1 - 4 * a, 0.5 - a * np.log(4 * a)
    scene = np.where(signal <= 0.5, signal**2 / 3, (np.exp((signal - c) / a) + b) / 12)
    luminance = scene @ np.array([0.2627, 0.6780, 0.0593])
    return np.asarray(1_000 * np.power(luminance, 0.2)[..., None] * scene)


def standard_picture(signal: np.ndarray, transfer: int, primaries: int) -> np.ndarray:
    """(H, W, 3) uint8 sRGB picture of a signal.

    Args:
        signal: (H, W, 3) uint16 R'G'B', full range.
        transfer: PQ or HLG.
        primaries: Code of the primaries.

    References:
        IEC 61966-2-1 (sRGB).
    """
    share = signal.astype(np.float64) / 65535
    light = (pq_nits(share) if transfer == PQ else hlg_nits(share)) / WHITE_NITS
    if primaries == _BT2020:
        light = light @ _TO_BT709.T
    light = np.clip(light, 0, 1)
    shown = np.where(light <= 0.0031308, 12.92 * light, 1.055 * np.power(light, 1 / 2.4) - 0.055)
    return (255 * shown + 0.5).astype(np.uint8)
