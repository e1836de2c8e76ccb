list(APPEND CF_SOURCES
  src/engine/collision/collider.c
  src/engine/collision/driver.c
  src/engine/collision/parameters.c
  src/engine/collision/query.c
  src/engine/collision/sharedpairs.c
  src/engine/collision/broad/bounds.c
  src/engine/collision/broad/broadphase.c
  src/engine/collision/broad/few.c
  src/engine/collision/broad/near.c
  src/engine/collision/broad/pairlist.c
  src/engine/collision/broad/sweep.c
  src/engine/collision/flex/contacts.c
  src/engine/collision/flex/flexpairs.c
  src/engine/collision/flex/soft.c
  src/engine/collision/flex/sweep.c
  src/engine/collision/flex/trees.c
  src/engine/collision/flex/triangle.c
  src/engine/collision/flex/vertices.c
  src/engine/collision/mid/obb.c
  src/engine/collision/mid/tree.c
  src/engine/collision/narrow/closedform.c
  src/engine/collision/narrow/pair.c
  src/engine/collision/sdf/collide.c
  src/engine/collision/sdf/field.c
  src/engine/collision/sdf/octree.c
  src/engine/collision/sdf/shapes.c
  src/engine/collision/convex/ccd.c
  src/engine/collision/convex/convex.c
  src/engine/collision/convex/epa.c
  src/engine/collision/convex/feature.c
  src/engine/collision/convex/fixnormal.c
  src/engine/collision/convex/gjk.c
  src/engine/collision/convex/hull.c
  src/engine/collision/convex/manifold.c
  src/engine/collision/convex/mpr.c
  src/engine/collision/convex/mprsupport.c
  src/engine/collision/convex/planehull.c
  src/engine/collision/convex/polytope.c
  src/engine/collision/convex/shape.c
  src/engine/collision/convex/simplex.c
  src/engine/collision/hfield/hfield.c
)

# pairs of 3-vectors squeezed into vector registers cost more shuffles than they save sums: 3 to 5 % of a GJK query
foreach(file ccd epa feature gjk hull manifold polytope shape simplex)
  set_source_files_properties(src/engine/collision/convex/${file}.c PROPERTIES COMPILE_OPTIONS -fno-tree-slp-vectorize)
endforeach()
