// Rays against geoms that are not primitive shapes and have no public function.
#ifndef CF_RAY_OBJECTS_H
#define CF_RAY_OBJECTS_H

#include <mujoco/mjdata.h>
#include <mujoco/mjmodel.h>

// signed distance field; normal (NULL allowed) is global
mjtNum cfi_raySdf(const mjModel* m, const mjData* d, int geom, const mjtNum pnt[3],
                  const mjtNum vec[3], mjtNum* normal);

#endif  // CF_RAY_OBJECTS_H
