// States of the worlds of a batch as files: CSV with names, or NumPy's format.
#include "worlds.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { STATE = mjSTATE_TIME | mjSTATE_QPOS | mjSTATE_QVEL | mjSTATE_ACT };


static void writeNames(FILE* out, const mjModel* m) {
  const struct {
    const char* name;
    mjtSize count;
  } parts[] = {{"qpos", m->nq}, {"qvel", m->nv}, {"act", m->na}};
  fputs("time", out);
  for (int k = 0; k < 3; k++) {
    for (mjtSize i = 0; i < parts[k].count; i++) {
      fprintf(out, ",%s.%lld", parts[k].name, (long long)i);
    }
  }
  fputc('\n', out);
}


static void writeCsv(FILE* out, const mjModel* m, const mjtNum* state, int rows, int columns) {
  writeNames(out, m);
  for (int r = 0; r < rows; r++) {
    for (int c = 0; c < columns; c++) {
      fprintf(out, c ? ",%.17g" : "%.17g", state[(size_t)r * (size_t)columns + (size_t)c]);
    }
    fputc('\n', out);
  }
}


// version 1.0 of the format: magic, length of the description, description, numbers
static void writeNpy(FILE* out, const mjtNum* state, int rows, int columns) {
  char text[128];
  const int n =
      snprintf(text, sizeof(text), "{'descr': '<f8', 'fortran_order': False, 'shape': (%d, %d), }",
               rows, columns);
  const int length = 118;  // a multiple of 64 with the ten bytes before it
  fwrite("\x93NUMPY\x01\x00", 1, 8, out);
  fputc(length & 0xFF, out);
  fputc(length >> 8, out);
  fprintf(out, "%s%*s\n", text, length - n - 1, "");
  fwrite(state, sizeof(mjtNum), (size_t)rows * (size_t)columns, out);
}


bool cli_writeWorlds(cfBatch* batch, const char* path) {
  const mjModel* m = cf_batchModel(batch);
  const int rows = cf_batchSize(batch), columns = mj_stateSize(m, STATE);
  mjtNum* state = malloc(sizeof(mjtNum) * (size_t)rows * (size_t)columns);
  if (!state || !cf_batchGetState(batch, STATE, NULL, rows, state)) {
    cli_error("--out: %s", state ? cf_batchError(batch) : "not enough memory");
    free(state);
    return false;
  }
  FILE* out = cfi_fileOpen(path, "wb");
  bool is_written = out;
  if (out) {
    if (cli_hasSuffix(path, ".npy")) {
      writeNpy(out, state, rows, columns);
    } else {
      writeCsv(out, m, state, rows, columns);
    }
    is_written = !ferror(out);
    is_written = !fclose(out) && is_written;
  }
  if (!is_written) {
    cli_error("could not write %s: %s", path, strerror(errno));
  }
  free(state);
  return is_written;
}
