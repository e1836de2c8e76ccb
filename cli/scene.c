// Scenes with as much room as their geoms need.
#include <limits.h>
#include <string.h>

#include "cli.h"


void cli_updateScene(const mjModel* m, mjData* d, const mjvOption* option, const mjvPerturb* pert,
                     mjvCamera* camera, mjvScene* scn) {
  const mjWarningStat before = d->warning[mjWARN_VGEOMFULL];
  char ignored[256];
  cli_catchWarnings(ignored, sizeof(ignored));
  mjv_updateScene(m, d, option, pert, camera, mjCAT_ALL, scn);
  while (scn->status && scn->maxgeom < INT_MAX / 2) {
    mjtByte flags[mjNRNDFLAG];
    memcpy(flags, scn->flags, sizeof(flags));
    mjv_makeScene(m, scn, 2 * scn->maxgeom);
    memcpy(scn->flags, flags, sizeof(flags));
    mjv_updateScene(m, d, option, pert, camera, mjCAT_ALL, scn);
  }
  cli_releaseWarnings();
  d->warning[mjWARN_VGEOMFULL] = before;
}
