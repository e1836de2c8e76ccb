// One linearization of a step, for counting instructions (bench/derivatives.py).
//
//   derivatives MODEL.xml STEPS steps|whole|hybrid
//
// Steps the model with all controls at 0.3, then linearizes once: by differences of whole steps
// (mjd_transitionFD, centered) or by cf_transition.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cortenforge/derivative.h>
#include <mujoco/mujoco.h>


static int countKind(const mjtByte* column, int n, int kind) {
  int count = 0;
  for (int k = 0; k < n; k++) {
    count += column[k] == kind;
  }
  return count;
}


int main(int argc, char** argv) {
  char error[1000] = "";
  mjModel* m = argc == 4 ? mj_loadXML(argv[1], NULL, error, sizeof(error)) : NULL;
  if (!m) {
    fprintf(stderr, "%s\n", argc == 4 ? error : "derivatives MODEL.xml STEPS steps|whole|hybrid");
    return 1;
  }
  mjData* d = mj_makeData(m);
  for (int k = 0; k < atoi(argv[2]); k++) {
    for (int u = 0; u < m->nu; u++) {
      d->ctrl[u] = 0.3;
    }
    mj_step(m, d);
  }
  const int nx = (int)(2 * m->nv + m->na), nu = (int)m->nu;
  mjtNum* A = calloc((size_t)nx * (size_t)nx + 1, sizeof(mjtNum));
  mjtNum* B = calloc((size_t)nx * (size_t)nu + 1, sizeof(mjtNum));
  mjtByte* column = calloc((size_t)(nx + nu) + 1, 1);
  const int nefc = d->nefc;
  if (strcmp(argv[3], "whole") == 0) {
    mjd_transitionFD(m, d, 1e-6, 1, A, B, NULL, NULL);
  } else if (strcmp(argv[3], "hybrid") == 0) {
    cf_transitionColumns(m, d, NULL, A, B, column);
  }
  printf("nv %d nu %d na %d nefc %d closed %d stage %d step %d\n", (int)m->nv, nu, (int)m->na, nefc,
         countKind(column, nx + nu, CF_COLUMN_CLOSED), countKind(column, nx + nu, CF_COLUMN_STAGE),
         countKind(column, nx + nu, CF_COLUMN_STEP));
  free(A);
  free(B);
  free(column);
  mj_deleteData(d);
  mj_deleteModel(m);
  return 0;
}
