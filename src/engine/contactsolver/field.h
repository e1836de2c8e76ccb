// Pressure fields of geoms.
//
// The pressure at a point inside a geom is modulus * depth / thickness.  For all convex shapes here
// the depth is a concave function: the least of a few planes (box, mesh, ends of a cylinder) or of
// all tangent planes of a smooth function (sphere, capsule, side of a cylinder, ellipsoid).
#ifndef CF_CONTACTSOLVER_FIELD_H
#define CF_CONTACTSOLVER_FIELD_H

#include <stdbool.h>

#include <mujoco/mujoco.h>

// a plane b + a.x of a field; points are relative to the center of the patch
typedef struct {
  mjtNum a[3], b;
} cfFieldPlane;

// the field of one geom
typedef struct {
  const mjModel* m;
  const mjData* d;
  int geom, type;
  mjtNum center[3];     // of the geom, relative to that of the patch
  const mjtNum* mat;    // its axes
  mjtNum scale;         // pressure per depth; of a rigid geom 1
  bool is_rigid;        // the contact surface is that of the geom
  int nplane, nexact;   // the first of them are exact, the others touch the smooth part
  int room;             // for planes
  cfFieldPlane* plane;  // of the stack
} cfPressureField;

// True if geoms of that kind have a field.
bool cfi_hasField(const mjModel* m, int geom);

// Depth of the field's deepest place where the shape says it: the default thickness; 0 for a plane.
mjtNum cfi_fieldThickness(const mjModel* m, int geom);

// Most planes that a field may have, with `samples` places where the smooth part is touched.
int cfi_fieldRoom(const mjModel* m, int geom, int samples);

// Center, axes and exact planes; those of a mesh that lie further than `reach` outside the other
// geom are left out.
void cfi_openField(cfPressureField* field, int other, mjtNum reach, const mjtNum origin[3]);

// Add the plane that touches the smooth part at a point, unless the field has it.
void cfi_touchField(cfPressureField* field, const mjtNum x[3]);

// Value of the field at a point, negative outside.
mjtNum cfi_fieldAt(const cfPressureField* field, const mjtNum x[3]);

// Value of a plane at a point.
static inline mjtNum cfi_planeAt(const cfFieldPlane* plane, const mjtNum x[3]) {
  return plane->b + plane->a[0] * x[0] + plane->a[1] * x[1] + plane->a[2] * x[2];
}

#endif  // CF_CONTACTSOLVER_FIELD_H
