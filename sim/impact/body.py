"""Which rigid bodies can be thrown, and what are their mass, moments, corners and faces?"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from .records import Rest, Shape
from .rest import resting

_SAME = 1e-9
"""Relative difference below which two principal moments are equal."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Body:
    """A convex body: the hull of corners and circles, rounded by a ball swept over it, in its principal axes."""

    vertices_m: np.ndarray
    """(V, 3) corners of the core, the centre of mass at the origin."""
    mass_kg: float
    inertia_kg_m2: np.ndarray
    """(3,) principal moments."""
    rims_m: np.ndarray = field(default_factory=lambda: np.empty((0, 2)))
    """(R, 2) circles about the z axis: height and radius."""
    rounding_m: float = 0.0
    rest: Rest = Rest(faces=np.empty((0, 3)), barrier_m=np.empty(0))
    """Faces and barriers; without any, no throw of the body is ever decided."""
    origin_m: np.ndarray = field(default_factory=lambda: np.zeros(3))
    """(3,) the centre of mass in the axes in which the body was described."""
    matrix: np.ndarray = field(default_factory=lambda: np.eye(3))
    """(3, 3) principal axes to the axes in which the body was described."""

    def __post_init__(self) -> None:
        """Refuse bodies that cannot be."""
        if not (math.isfinite(self.mass_kg) and self.mass_kg > 0):
            raise ValueError(f"mass_kg must be positive, got {self.mass_kg}")
        a, b, c = sorted(float(x) for x in self.inertia_kg_m2)
        if not (a > 0 and a + b >= c * (1 - 1e-6)):
            raise ValueError(f"inertia_kg_m2 must be positive and obey the triangle inequality, got {(a, b, c)}")
        if not self.rounding_m >= 0:
            raise ValueError(f"rounding_m must not be negative, got {self.rounding_m}")
        if len(self.vertices_m) + len(self.rims_m) == 0:
            raise ValueError("a body needs at least one vertex or rim")

    @property
    def size_m(self) -> float:
        """Largest distance of the surface from the centre of mass."""
        return self.reach_m + self.rounding_m

    @property
    def reach_m(self) -> float:
        """Largest distance of the core from the centre of mass."""
        corners = np.linalg.norm(self.vertices_m, axis=1)
        circles = np.hypot(self.rims_m[:, 0], self.rims_m[:, 1])
        return float(max(np.max(corners, initial=0.0), np.max(circles, initial=0.0)))

    @property
    def axis(self) -> int:
        """Index of an axis about which the other two moments are equal, or -1."""
        i = self.inertia_kg_m2
        for k in (2, 0, 1):
            if abs(i[(k + 1) % 3] - i[(k + 2) % 3]) <= _SAME * max(i):
                return k
        return -1

    @property
    def shape(self) -> Shape:
        """What the compiled code gets to know."""
        return Shape(
            vertices_m=np.ascontiguousarray(self.vertices_m, dtype=float),
            rims_m=np.ascontiguousarray(self.rims_m, dtype=float),
            rounding_m=float(self.rounding_m),
            reach_m=self.reach_m,
            mass_kg=float(self.mass_kg),
            inertia_kg_m2=np.ascontiguousarray(self.inertia_kg_m2, dtype=float),
            axis=self.axis,
        )


def cuboid(half_m: tuple[float, float, float], *, density_kg_m3: float, rounding_m: float = 0.0) -> Body:
    """A cuboid, its edges rounded if asked; faces +x, -x, +y, -y, +z, -z.

    The moments are those of core, slabs, quarter cylinders and ball octants, summed. The barrier of a face is
    min over j of sqrt(h_i^2 + h_j^2) plus the rounding, with h the half edges of the core.

    Args:
        half_m: Half edges, rounding included.
        density_kg_m3: Density.
        rounding_m: Radius of the edges, below every half edge.

    Raises:
        ValueError: A length is impossible.
    """
    if not min(half_m) > rounding_m >= 0:
        raise ValueError(
            f"rounding_m must lie in [0, {min(half_m)}) and half_m be positive, got {rounding_m}, {half_m}"
        )
    h, r = np.array(half_m, dtype=float) - rounding_m, float(rounding_m)
    a, b, c = h
    volume = 8 * a * b * c + 8 * r * (a * b + b * c + c * a) + 2 * math.pi * r**2 * (a + b + c) + 4 / 3 * math.pi * r**3
    second = np.array([_second(h[k], h[(k + 1) % 3], h[(k + 2) % 3], r) for k in range(3)])
    signs = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=float)
    barrier = [min(math.hypot(h[i], h[j]) for j in range(3) if j != i) + r for i in (0, 0, 1, 1, 2, 2)]
    return Body(
        vertices_m=signs * h,
        mass_kg=float(density_kg_m3 * volume),
        inertia_kg_m2=density_kg_m3 * (second.sum() - second),
        rounding_m=r,
        rest=Rest(faces=np.repeat(np.eye(3), 2, axis=0) * np.array([[1.0], [-1.0]] * 3), barrier_m=np.array(barrier)),
    )


def _second(a: float, b: float, c: float, r: float) -> float:
    """Integral of x^2 over a rounded cuboid whose core has the half edges a (along x), b and c."""
    core = 8 * a * b * c * a * a / 3
    slabs = 8 * b * c * ((a + r) ** 3 - a**3) / 3 + 8 * a * (b + c) * r * a * a / 3
    quarters = math.pi * r**2 * 2 * a**3 / 3
    quarters += 2 * (b + c) * (math.pi * r**2 * a * a + 8 * a * r**3 / 3 + math.pi * r**4 / 4)
    octants = 4 / 3 * math.pi * r**3 * a * a + math.pi * a * r**4 + 4 * math.pi * r**5 / 15
    return core + slabs + quarters + octants


def cylinder(radius_m: float, half_m: float, *, density_kg_m3: float) -> Body:
    """A cylinder about z; faces +z, -z and the side (index 2).

    Args:
        radius_m: Radius.
        half_m: Half the height.
        density_kg_m3: Density.

    Raises:
        ValueError: A length is not positive.
    """
    if not min(radius_m, half_m) > 0:
        raise ValueError(f"radius_m and half_m must be positive, got {radius_m}, {half_m}")
    mass = density_kg_m3 * math.pi * radius_m**2 * 2 * half_m
    across = mass * (radius_m**2 / 4 + half_m**2 / 3)
    return Body(
        vertices_m=np.empty((0, 3)),
        rims_m=np.array([[half_m, radius_m], [-half_m, radius_m]]),
        mass_kg=mass,
        inertia_kg_m2=np.array([across, across, mass * radius_m**2 / 2]),
        rest=Rest(
            faces=np.array([[0.0, 0, 1], [0, 0, -1], [0, 0, 0]]), barrier_m=np.full(3, math.hypot(radius_m, half_m))
        ),
    )


def polyhedron(vertices_m: np.ndarray, *, density_kg_m3: float) -> Body:
    """A convex polyhedron, the hull of points; its faces in the order of `body.rest.faces`.

    Mass, centre and moments are sums over the tetrahedra between the origin and the hull's triangles.

    Args:
        vertices_m: (V, 3) points; those inside the hull do not matter.
        density_kg_m3: Density.

    Raises:
        ValueError: The points span no volume.
    """
    from scipy.spatial import ConvexHull, QhullError

    points = np.asarray(vertices_m, dtype=float)
    try:
        hull = ConvexHull(points)
    except (QhullError, ValueError) as fault:
        raise ValueError(f"vertices_m must span a volume, got {points.shape}") from fault
    middle = points[hull.vertices].mean(axis=0)
    corners = points[hull.simplices] - middle
    volumes = np.abs(np.linalg.det(corners)) / 6  # the middle lies inside: no tetrahedron counts negatively
    volume = volumes.sum()
    centre = np.einsum("f,fki->i", volumes, corners) / (4 * volume)
    total = corners.sum(axis=1)
    # the covariance of a tetrahedron with one corner at the origin
    spread = np.einsum("f,fki,fkj->ij", volumes, corners, corners) + np.einsum("f,fi,fj->ij", volumes, total, total)
    spread = spread / 20 - volume * np.outer(centre, centre)
    moments, axes = np.linalg.eigh(density_kg_m3 * (np.trace(spread) * np.eye(3) - spread))
    if np.linalg.det(axes) < 0:
        axes[:, 0] = -axes[:, 0]
    origin = middle + centre
    principal = (points[np.sort(hull.vertices)] - origin) @ axes
    return Body(
        vertices_m=principal,
        mass_kg=float(density_kg_m3 * volume),
        inertia_kg_m2=moments,
        rest=resting(principal),
        origin_m=origin,
        matrix=axes,
    )
