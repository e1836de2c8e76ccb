// Two boxes as box : box sees them, shared by the choice of the separating axis and the two ways to
// make contacts.
#ifndef CF_COLLISION_NARROW_BOXPAIR_H
#define CF_COLLISION_NARROW_BOXPAIR_H

#include <stdbool.h>

#include "collision/collider.h"

// relative pose of two boxes
typedef struct {
  cfGeomView box[2];
  mjtNum center[2][3];  // center[0]: of box 1 seen from box 0; center[1]: of box 0 seen from box 1
  mjtNum rot[9];        // box 0 <- box 1; column j is axis j of box 1
  mjtNum absrot[9];
  mjtNum margin;
} boxPair;

// axis of least penetration
typedef struct {
  bool is_edge;
  mjtNum depth;

  // face: of box `owner`, `face` is 0..2 for +x +y +z, 3..5 for -x -y -z
  int owner, face;

  // edge pair: along axis edge[b] of box b; bit k of side[b]: the edge lies on the +k side of box
  // b. normal in the frame of box 0, `inward` when it points from box 1 to box 0
  int edge[2], side[2];
  mjtNum normal[3];
  bool inward;
} boxAxis;

// contacts when a face of one box is the reference; in and out as cfi_boxBox
int cfi_boxFaceContacts(mjContact* con, const boxPair* p, const boxAxis* axis);

// contacts when two edges cross
int cfi_boxEdgeContacts(mjContact* con, const boxPair* p, const boxAxis* axis);

#endif  // CF_COLLISION_NARROW_BOXPAIR_H
