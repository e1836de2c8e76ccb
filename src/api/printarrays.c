// Text output of mjData: arrays as rows, lists and lines; delays and tendons.
#include <ctype.h>
#include <string.h>

#include "api/datatext.h"

//---------------------------------- arrays --------------------------------------------------------

// titles are names in capitals
void cfi_titleOf(const cfFieldInfo* field, char title[CF_TITLE_MAX]) {
  size_t k = 0;
  for (; field->name[k] && k < CF_TITLE_MAX - 1; k++) {
    title[k] = (char)toupper((unsigned char)field->name[k]);
  }
  title[k] = '\0';
}


void cfi_rowsText(const cfDataText* t, const cfFieldInfo* field) {
  char title[CF_TITLE_MAX];
  mjtSize shape[2];
  cfi_titleOf(field, title);
  field->shape(t->m, t->d, shape);
  cfi_printRows(&t->out, title, field->type, cfi_arrayOf(field, t->d), shape[0], shape[1]);
}


void cfi_readingsText(const cfDataText* t, const cfFieldInfo* field) {
  cfi_printRows(&t->out, "SENSOR", field->type, t->d->sensordata, t->m->nsensordata, 1);
}


// all elements in one row
void cfi_listText(const cfDataText* t, const cfFieldInfo* field) {
  char title[CF_TITLE_MAX];
  cfi_titleOf(field, title);
  cfi_printRows(&t->out, title, field->type, cfi_arrayOf(field, t->d), 1,
                cfi_fieldUsed(field, t->m, t->d));
}


// title and all elements in one line
void cfi_lineText(const cfDataText* t, const cfFieldInfo* field) {
  char title[CF_TITLE_MAX];
  mjtSize shape[2];
  const void* array = cfi_arrayOf(field, t->d);
  cfi_titleOf(field, title);
  field->shape(t->m, t->d, shape);
  if (!array || !shape[0]) {
    return;
  }
  cfi_printName(&t->out, 0, title);
  for (mjtSize k = 0; k < shape[0]; k++) {
    cfi_printElement(&t->out, field->type, array, k);
  }
  fprintf(t->out.file, "\n\n");
}


// only while there are islands
void cfi_islandListText(const cfDataText* t, const cfFieldInfo* field) {
  if (t->d->nisland) {
    cfi_listText(t, field);
  }
}


void cfi_islandLineText(const cfDataText* t, const cfFieldInfo* field) {
  if (t->d->nisland) {
    cfi_lineText(t, field);
  }
}


// a permutation in one line, with bars where the island changes
void cfi_islandOrderText(const cfDataText* t, const cfFieldInfo* field) {
  const bool dofs = !strcmp(field->name, "map_idof2dof");
  const int* const island = dofs ? t->d->dof_island : t->d->efc_island;
  const int* const order = dofs ? t->d->map_idof2dof : t->d->map_iefc2efc;
  const int count = dofs ? (int)t->m->nv : t->d->nefc;
  char title[CF_TITLE_MAX];
  if (!t->d->nisland) {
    return;
  }
  cfi_titleOf(field, title);
  cfi_printName(&t->out, 0, title);
  for (int k = 0; k < count; k++) {
    const bool border = k > 0 && island[order[k]] != island[order[k - 1]];
    fprintf(t->out.file, "%s %d", border ? " |" : "", order[k]);
  }
  fprintf(t->out.file, "\n\n");
}

//---------------------------------- delays and tendons --------------------------------------------


// one delay buffer: phase, place of the newest sample, times, samples of dim numbers
static void printHistory(const cfDataText* t, const mjtNum* buffer, int samples, int dim) {
  FILE* const file = t->out.file;
  const mjtNum* const value = buffer + 2 + samples;
  fprintf(file, "    phase  = ");
  cfi_printElement(&t->out, CF_TYPE_mjtNum, buffer, 0);
  fprintf(file, "\n    cursor =  %d\n    times  = ", (int)buffer[1]);
  for (int k = 0; k < samples; k++) {
    cfi_printElement(&t->out, CF_TYPE_mjtNum, buffer, 2 + k);
  }
  fprintf(file, dim == 1 ? "\n    values = " : "\n    values:\n");
  for (int k = 0; k < samples * dim; k++) {
    if (dim > 1 && k % dim == 0) {
      fprintf(file, "      [%d] =", k / dim);
    }
    cfi_printElement(&t->out, CF_TYPE_mjtNum, value, k);
    if (dim > 1 && k % dim == dim - 1) {
      fputc('\n', file);
    }
  }
  fputs(dim == 1 ? "\n" : "", file);
}


// actuators and sensors with their delay buffers
void cfi_historyText(const cfDataText* t, const cfFieldInfo* field) {
  const mjModel* const m = t->m;
  (void)field;
  if (!m->nhistory) {
    return;
  }
  fprintf(t->out.file, "DELAY\n");
  for (int i = 0; i < m->nu + m->nsensor; i++) {
    const bool actuator = i < m->nu;
    const int id = actuator ? i : (int)(i - m->nu);
    const int first = actuator ? m->actuator_historyadr[id] : m->sensor_historyadr[id];
    const int samples = actuator ? m->actuator_history[2 * id] : m->sensor_history[2 * id];
    const char* name = mj_id2name(m, actuator ? mjOBJ_ACTUATOR : mjOBJ_SENSOR, id);
    if (first >= 0 && samples > 0) {
      char line[100];
      snprintf(line, sizeof(line), "%s %d %s'%s'", actuator ? "actuator" : "sensor", id,
               actuator ? "" : " ", name ? name : "");
      fprintf(t->out.file, "  %s:\n", line);
      printHistory(t, t->d->history + first, samples, actuator ? 1 : m->sensor_dim[id]);
    }
  }
  fputc('\n', t->out.file);
}


void cfi_flexEdgesText(const cfDataText* t, const cfFieldInfo* field) {
  const mjModel* const m = t->m;
  const cfPattern s = {(int)m->nflexedge,    (int)m->nv,           m->flexedge_J_rownnz,
                       m->flexedge_J_rowadr, m->flexedge_J_colind, NULL};
  (void)field;
  cfi_printPattern(&t->out, "FLEXEDGE_J: flex edge connectivity", s, NULL);
  cfi_printSparse(&t->out, "FLEXEDGE_J", s, t->d->flexedge_J);
}


void cfi_tendonsText(const cfDataText* t, const cfFieldInfo* field) {
  const mjModel* const m = t->m;
  const mjData* const d = t->d;
  const cfPattern s = {(int)m->ntendon, (int)m->nv,      d->ten_J_rownnz,
                       d->ten_J_rowadr, d->ten_J_colind, NULL};
  (void)field;
  if (mj_isSparse(m)) {
    cfi_printPattern(&t->out, "TEN_J: tendon moments", s, NULL);
    cfi_printRows(&t->out, "TEN_J_ROWNNZ", CF_TYPE_int, s.rownnz, s.nr, 1);
    cfi_printRows(&t->out, "TEN_J_ROWADR", CF_TYPE_int, s.rowadr, s.nr, 1);
    cfi_printSparse(&t->out, "TEN_J", s, d->ten_J);
  } else {
    cfi_printRows(&t->out, "TEN_MOMENT", CF_TYPE_mjtNum, d->ten_J, s.nr, s.nc);
  }
  for (int i = 0; i < m->ntendon; i++) {
    fprintf(t->out.file, "TENDON %d: %d wrap points\n", i, d->ten_wrapnum[i]);
    for (int k = d->ten_wrapadr[i]; k < d->ten_wrapadr[i] + d->ten_wrapnum[i]; k++) {
      fprintf(t->out.file, "    %d:  ", d->wrap_obj[k]);
      cfi_printNumbers(t, "", d->wrap_xpos + 3 * k, 3);
    }
    fputc('\n', t->out.file);
  }
}


void cfi_momentText(const cfDataText* t, const cfFieldInfo* field) {
  const mjData* const d = t->d;
  const cfPattern s = {(int)t->m->nu,    (int)t->m->nv,    d->moment_rownnz,
                       d->moment_rowadr, d->moment_colind, NULL};
  (void)field;
  cfi_printPattern(&t->out, "actuator_moment", s, NULL);
  cfi_printSparse(&t->out, "ACTUATOR_MOMENT", s, d->actuator_moment);
}
