import math

import numpy as np
import pytest
import trimesh

from sim.impact import Body, cuboid, cylinder, polyhedron


def mesh_of(points):
    mesh = trimesh.convex.convex_hull(points)
    mesh.density = 1000.0
    return mesh


def test_sharp_cuboid_has_the_textbook_moments():
    box = cuboid((0.01, 0.02, 0.03), density_kg_m3=1000)
    assert math.isclose(box.mass_kg, 1000 * 8 * 6e-6)
    np.testing.assert_allclose(box.inertia_kg_m2, box.mass_kg / 3 * np.array([4 + 9, 1 + 9, 1 + 4]) * 1e-4)
    assert box.axis == -1 and cuboid((0.01, 0.01, 0.03), density_kg_m3=1000).axis == 2


def test_rounded_cuboid_agrees_with_a_fine_mesh_of_it():
    half, r = np.array([0.01, 0.014, 0.008]), 0.003
    ball = trimesh.creation.icosphere(subdivisions=4, radius=r).vertices
    signs = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    mesh = mesh_of(np.concatenate([ball + s * (half - r) for s in signs]))
    box = cuboid(tuple(half), density_kg_m3=1000, rounding_m=r)
    # the inscribed ball of 2,562 corners lacks 0.2 % of its volume
    assert math.isclose(mesh.mass, box.mass_kg, rel_tol=1e-3)
    np.testing.assert_allclose(np.diag(mesh.moment_inertia), box.inertia_kg_m2, rtol=2e-3)


def test_cuboid_that_is_all_rounding_is_nearly_a_ball():
    r = 0.01
    ball = cuboid((r * (1 + 1e-9),) * 3, density_kg_m3=1000, rounding_m=r)
    assert math.isclose(ball.mass_kg, 1000 * 4 / 3 * math.pi * r**3, rel_tol=1e-6)
    np.testing.assert_allclose(ball.inertia_kg_m2, 0.4 * ball.mass_kg * r**2, rtol=1e-6)


def test_polyhedron_agrees_with_trimesh():
    points = np.random.default_rng(5).normal(size=(30, 3)) * (0.01, 0.013, 0.02) + 0.05
    mesh, body = mesh_of(points), polyhedron(points, density_kg_m3=1000)
    assert math.isclose(mesh.mass, body.mass_kg, rel_tol=1e-9)
    np.testing.assert_allclose(body.origin_m, mesh.center_mass, rtol=1e-9)
    np.testing.assert_allclose(np.sort(mesh.principal_inertia_components), np.sort(body.inertia_kg_m2), rtol=1e-7)
    back = body.vertices_m @ body.matrix.T + body.origin_m
    assert set(map(tuple, np.round(back, 9))) <= set(map(tuple, np.round(points, 9)))


def test_cylinder_agrees_with_a_fine_mesh_of_it():
    mesh = trimesh.creation.cylinder(radius=0.01, height=0.006, sections=512)
    mesh.density = 1000.0
    body = cylinder(0.01, 0.003, density_kg_m3=1000)
    assert math.isclose(mesh.mass, body.mass_kg, rel_tol=1e-4)
    np.testing.assert_allclose(np.diag(mesh.moment_inertia), body.inertia_kg_m2, rtol=1e-4)
    assert body.axis == 2


def test_barriers_of_a_cuboid_are_those_of_its_core_edges_plus_the_rounding():
    box = cuboid((0.010, 0.012, 0.020), density_kg_m3=1000, rounding_m=0.002)
    x, y, z = 0.008, 0.010, 0.018
    wanted = [math.hypot(x, y), math.hypot(x, y), math.hypot(z, x)]  # over the lower of a face's two kinds of edges
    np.testing.assert_allclose(box.rest.barrier_m, np.repeat(wanted, 2) + 0.002)


def test_polyhedron_finds_a_cuboids_faces_and_barriers_by_itself():
    half = np.array([0.010, 0.012, 0.020])
    signs = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    found, box = polyhedron(signs * half, density_kg_m3=1000), cuboid(tuple(half), density_kg_m3=1000)
    assert len(found.rest.faces) == 6
    in_given_axes = found.rest.faces @ found.matrix.T
    for normal, barrier in zip(in_given_axes, found.rest.barrier_m, strict=True):
        same = int(np.argmax(box.rest.faces @ normal))
        assert math.isclose(barrier, box.rest.barrier_m[same], rel_tol=1e-9)


def test_stable_faces_agree_with_trimesh():
    points = np.random.default_rng(8).normal(size=(12, 3)) * (0.01, 0.013, 0.02)
    body = polyhedron(points, density_kg_m3=1000)
    stable = body.rest.faces[~np.isnan(body.rest.barrier_m)] @ body.matrix.T
    poses, p = trimesh.poses.compute_stable_poses(mesh_of(points))
    wanted = np.array([-pose[2, :3] for pose in poses[p > 0]])
    assert len(stable) == len(wanted)
    for down in wanted:
        assert (stable @ down).max() > 1 - 1e-9


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: cuboid((0.01, 0.01, 0.0), density_kg_m3=1), "rounding_m must lie in"),
        (lambda: cuboid((0.01, 0.01, 0.01), density_kg_m3=1, rounding_m=0.01), "rounding_m must lie in"),
        (lambda: cylinder(0.0, 0.1, density_kg_m3=1), "radius_m and half_m must be positive"),
        (lambda: cuboid((0.01, 0.01, 0.01), density_kg_m3=0), "mass_kg must be positive"),
        (lambda: polyhedron(np.zeros((5, 3)), density_kg_m3=1), "vertices_m must span a volume"),
        (
            lambda: Body(vertices_m=np.zeros((1, 3)), mass_kg=1, inertia_kg_m2=np.array([1.0, 1, 3])),
            "triangle inequality",
        ),
        (
            lambda: Body(vertices_m=np.zeros((1, 3)), mass_kg=1, inertia_kg_m2=np.ones(3), rounding_m=-1),
            "rounding_m must not be negative",
        ),
        (lambda: Body(vertices_m=np.zeros((0, 3)), mass_kg=1, inertia_kg_m2=np.ones(3)), "at least one vertex"),
    ],
)
def test_impossible_bodies_are_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()
