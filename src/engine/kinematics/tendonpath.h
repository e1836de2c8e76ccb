// The path of a spatial tendon, stretch by stretch.  A stretch leads from one site to the next one
// and may touch one wrapping geom in between.
#ifndef CF_KINEMATICS_TENDONPATH_H
#define CF_KINEMATICS_TENDONPATH_H

#include <stdbool.h>

#include <mujoco/mjdata.h>
#include <mujoco/mjmodel.h>

typedef struct {
  mjtNum point[4][3];  // two points, or four with the ends of the part on the geom in the middle
  int body[4];         // what they are fixed to
  int npoint;
  int geom;        // wrapping geom, -1 if the stretch has none
  mjtNum arc;      // length on the geom; 0 for a straight stretch
  mjtNum divisor;  // of the pulley branch it is part of
  bool is_last;    // of its branch: the next item is a pulley or there is none
} cfStretch;

// where a walk along a tendon stands
typedef struct {
  int item, end;  // index into wrap_...
  mjtNum divisor;
} cfTendonWalk;

cfTendonWalk cfi_startTendon(const mjModel* m, int tendon);

// what comes next on the path
enum { CF_PATH_END, CF_PATH_PULLEY, CF_PATH_STRETCH };

// advance to the next pulley or stretch
int cfi_walkTendon(cfTendonWalk* walk, cfStretch* stretch, const mjModel* m, const mjData* d);

// tendon that is a linear combination of joint positions
static inline bool cfi_isFixedTendon(const mjModel* m, int tendon) {
  return m->wrap_type[m->tendon_adr[tendon]] == mjWRAP_JOINT;
}

#endif  // CF_KINEMATICS_TENDONPATH_H
