// Faces of the polytopes that EPA starts from, as corners and the faces across their edges.
#ifndef CF_COLLISION_CONVEX_STARTFACES_H
#define CF_COLLISION_CONVEX_STARTFACES_H

typedef struct {
  int vertex[3], neighbor[3];
} cfFaceRow;

// two tetrahedra over a common triangle (vertices 2, 3, 4), apexes 0 and 1
static const cfFaceRow cf_double_tetrahedron[6] = {
    {{0, 2, 3}, {1, 3, 2}}, {{0, 4, 2}, {2, 4, 0}}, {{0, 3, 4}, {0, 5, 1}},
    {{1, 3, 2}, {5, 0, 4}}, {{1, 2, 4}, {3, 1, 5}}, {{1, 4, 3}, {4, 2, 3}},
};

// the same with the triangle first (vertices 0, 1, 2) and apexes 4 and 3
static const cfFaceRow cf_triangle_and_apexes[6] = {
    {{4, 0, 1}, {1, 3, 2}}, {{4, 2, 0}, {2, 4, 0}}, {{4, 1, 2}, {0, 5, 1}},
    {{3, 1, 0}, {5, 0, 4}}, {{3, 0, 2}, {3, 1, 5}}, {{3, 2, 1}, {4, 2, 3}},
};

static const cfFaceRow cf_tetrahedron[4] = {
    {{0, 1, 2}, {1, 3, 2}},
    {{0, 3, 1}, {2, 3, 0}},
    {{0, 2, 3}, {0, 3, 1}},
    {{3, 2, 1}, {2, 0, 1}},
};

#endif  // CF_COLLISION_CONVEX_STARTFACES_H
