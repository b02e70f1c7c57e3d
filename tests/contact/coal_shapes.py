"""Shapes of coal that equal those of the package."""

import coal


def coal_mesh(mesh):
    """Return the convex mesh of coal with the vertices and triangles of a ``ConvexMesh``."""
    points, triangles = coal.StdVec_Vec3s(), coal.StdVec_Triangle()
    points.extend(list(mesh.vertices))
    for corners in mesh.triangles:
        triangles.append(coal.Triangle(*map(int, corners)))
    return coal.Convex(points, triangles)
