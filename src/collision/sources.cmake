list(APPEND CF_SOURCES
  src/collision/collider.c
  src/collision/driver.c
  src/collision/parameters.c
  src/collision/query.c
  src/collision/sharedpairs.c
  src/collision/broad/bounds.c
  src/collision/broad/broadphase.c
  src/collision/broad/few.c
  src/collision/broad/near.c
  src/collision/broad/pairlist.c
  src/collision/broad/sweep.c
  src/collision/flex/contacts.c
  src/collision/flex/flexpairs.c
  src/collision/flex/soft.c
  src/collision/flex/sweep.c
  src/collision/flex/trees.c
  src/collision/flex/triangle.c
  src/collision/flex/vertices.c
  src/collision/mid/obb.c
  src/collision/mid/tree.c
  src/collision/narrow/boxbox.c
  src/collision/narrow/boxedge.c
  src/collision/narrow/boxface.c
  src/collision/narrow/capsule.c
  src/collision/narrow/capsulebox.c
  src/collision/narrow/pair.c
  src/collision/narrow/plane.c
  src/collision/narrow/sphere.c
  src/collision/sdf/collide.c
  src/collision/sdf/field.c
  src/collision/sdf/octree.c
  src/collision/sdf/shapes.c
  src/collision/convex/ccd.c
  src/collision/convex/convex.c
  src/collision/convex/epa.c
  src/collision/convex/feature.c
  src/collision/convex/fixnormal.c
  src/collision/convex/gjk.c
  src/collision/convex/hull.c
  src/collision/convex/manifold.c
  src/collision/convex/mpr.c
  src/collision/convex/mprsupport.c
  src/collision/convex/planehull.c
  src/collision/convex/polytope.c
  src/collision/convex/shape.c
  src/collision/convex/simplex.c
  src/collision/hfield/hfield.c
)

# pairs of 3-vectors squeezed into vector registers cost more shuffles than they save sums: 3 to 5 % of a GJK query
foreach(file ccd epa feature gjk hull manifold polytope shape simplex)
  set_source_files_properties(src/collision/convex/${file}.c PROPERTIES COMPILE_OPTIONS -fno-tree-slp-vectorize)
endforeach()
