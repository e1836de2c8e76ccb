list(APPEND CF_SOURCES
  src/collision/collider.c
  src/collision/convex_missing.c
  src/collision/narrow/boxbox.c
  src/collision/narrow/boxedge.c
  src/collision/narrow/boxface.c
  src/collision/narrow/capsule.c
  src/collision/narrow/capsulebox.c
  src/collision/narrow/plane.c
  src/collision/narrow/sphere.c
)
