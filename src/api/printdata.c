// Text output of mjData, in MuJoCo's format: sizes and diagnostics, then arrays in the order of the
// table below.  Here and not beside the text of a model because contacts are printed with their
// forces.
#include <ctype.h>
#include <string.h>

#include "base/assert.h"
#include "model/layout.h"
#include "model/print.h"

// what is printed and where to
typedef struct {
  cfPrinter out;
  const mjModel* m;
  const mjData* d;
} DataText;

// an array, or where name is NULL several
typedef struct {
  const char* name;
  void (*print)(const DataText* t, const cfFieldInfo* field);
} DataItem;

//---------------------------------- sizes and diagnostics -----------------------------------------


static void printDataMemory(const DataText* t) {
  const mjData* d = t->d;
  const struct {
    const char* name;
    size_t bytes;
  } line[4] = {{"total", sizeof(mjData) + (size_t)d->nbuffer + (size_t)d->narena},
               {"struct", sizeof(mjData)},
               {"buffer", (size_t)d->nbuffer},
               {"arena", (size_t)d->narena}};
  fprintf(t->out.file, "MEMORY\n");
  for (int k = 0; k < 4; k++) {
    fprintf(t->out.file, "%s  %-14s", k ? "\n" : "", line[k].name);
    cfi_printMemory(&t->out, line[k].bytes);
  }
  fprintf(t->out.file, ", used %.1f%%\n\n", 100 * (double)d->maxuse_arena / (double)d->narena);
}


// counts and flags; addresses inside the arena say nothing to a reader
static void printCounts(const DataText* t) {
  fprintf(t->out.file, "SIZES\n");
  for (int k = 0; k < cfi_dataScalars.count; k++) {
    const cfFieldInfo* field = cfi_dataScalars.field + k;
    const bool count = field->type == CF_TYPE_int || field->type == CF_TYPE_mjtSize ||
                       field->type == CF_TYPE_mjtByte;
    if (count && field->length == 1) {
      cfi_printName(&t->out, 2, field->name);
      cfi_printElement(&t->out, field->type, (const char*)t->d + field->offset, 0);
      fputc('\n', t->out.file);
    }
  }
  cfi_printName(&t->out, 2, "threadpool");
  fprintf(t->out.file, " %d\n\n", t->d->threadpool ? 1 : 0);
}


static void printCounters(const DataText* t) {
  FILE* const file = t->out.file;
  int warnings = 0;
  mjtNum seconds = 0;
  for (int k = 0; k < mjNWARNING; k++) {
    const mjWarningStat* w = t->d->warning + k;
    if (w->number) {
      fprintf(file, "%s    %d:  lastinfo = %d   number = %d\n", warnings ? "" : "WARNING\n", k,
              w->lastinfo, w->number);
      warnings++;
    }
  }
  fputs(warnings ? "\n" : "", file);
  for (int k = 0; k < mjNTIMER; k++) {
    seconds += t->d->timer[k].duration;
  }
  for (int k = 0; k < mjNTIMER && seconds != 0; k++) {
    fprintf(file, "%s    %d:  duration = ", k ? "" : "TIMER\n", k);
    cfi_printElement(&t->out, CF_TYPE_mjtNum, &t->d->timer[k].duration, 0);
    fprintf(file, "   number = %d\n%s", t->d->timer[k].number, k == mjNTIMER - 1 ? "\n" : "");
  }
}


// text, numbers with a blank before each, line end
static void printNumbers(const DataText* t, const char* text, const mjtNum* number, int count) {
  fputs(text, t->out.file);
  for (int k = 0; k < count; k++) {
    fputc(' ', t->out.file);
    cfi_printElement(&t->out, CF_TYPE_mjtNum, number, k);
  }
  fputc('\n', t->out.file);
}


static void printIteration(const DataText* t, const mjSolverStat* stat, int k) {
  const mjtNum number[3] = {stat->improvement, stat->gradient, stat->lineslope};
  static const char* const name[3] = {"improvement", "gradient", "lineslope"};
  fprintf(t->out.file, "      %d:", k);
  for (int i = 0; i < 3; i++) {
    fprintf(t->out.file, "%s  %s = ", i ? "  " : "", name[i]);
    cfi_printElement(&t->out, CF_TYPE_mjtNum, number, i);
  }
  fprintf(t->out.file, "\n          nactive = %d   nchange = %d   neval = %d   nupdate = %d\n",
          stat->nactive, stat->nchange, stat->neval, stat->nupdate);
}


static void printSolver(const DataText* t) {
  const mjData* d = t->d;
  const int nisland = d->nisland < 1 ? 1 : d->nisland < mjNISLAND ? d->nisland : mjNISLAND;
  if (!d->nefc) {
    return;
  }
  fprintf(t->out.file, "SOLVER STAT\n");
  printNumbers(t, "  solver_fwdinv = ", d->solver_fwdinv, 2);
  for (int island = 0; island < nisland; island++) {
    const int niter = d->solver_niter[island] < mjNSOLVER ? d->solver_niter[island] : mjNSOLVER;
    if (!niter) {
      continue;
    }
    fprintf(t->out.file, "  ISLAND %d\n    solver_niter = %d\n    solver_nnz = %d\n", island,
            d->solver_niter[island], d->solver_nnz[island]);
    for (int k = 0; k < niter; k++) {
      printIteration(t, d->solver + island * mjNSOLVER + k, k);
    }
    fputc('\n', t->out.file);
  }
}


static void printTime(const DataText* t) {
  printNumbers(t, "ENERGY = ", t->d->energy, 2);
  fprintf(t->out.file, "\nTIME = ");
  cfi_printElement(&t->out, CF_TYPE_mjtNum, &t->d->time, 0);
  fprintf(t->out.file, "\n\n");
}

//---------------------------------- arrays --------------------------------------------------------

enum { TITLE_MAX = 40 };


// titles are names in capitals
static void titleOf(const cfFieldInfo* field, char title[TITLE_MAX]) {
  size_t k = 0;
  for (; field->name[k] && k < TITLE_MAX - 1; k++) {
    title[k] = (char)toupper((unsigned char)field->name[k]);
  }
  title[k] = '\0';
}


static void rowsText(const DataText* t, const cfFieldInfo* field) {
  char title[TITLE_MAX];
  mjtSize shape[2];
  titleOf(field, title);
  field->shape(t->m, t->d, shape);
  cfi_printRows(&t->out, title, field->type, cfi_arrayOf(field, t->d), shape[0], shape[1]);
}


static void readingsText(const DataText* t, const cfFieldInfo* field) {
  cfi_printRows(&t->out, "SENSOR", field->type, t->d->sensordata, t->m->nsensordata, 1);
}


// all elements in one row
static void listText(const DataText* t, const cfFieldInfo* field) {
  char title[TITLE_MAX];
  titleOf(field, title);
  cfi_printRows(&t->out, title, field->type, cfi_arrayOf(field, t->d), 1,
                cfi_fieldUsed(field, t->m, t->d));
}


// title and all elements in one line
static void lineText(const DataText* t, const cfFieldInfo* field) {
  char title[TITLE_MAX];
  mjtSize shape[2];
  const void* array = cfi_arrayOf(field, t->d);
  titleOf(field, title);
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
static void islandListText(const DataText* t, const cfFieldInfo* field) {
  if (t->d->nisland) {
    listText(t, field);
  }
}


static void islandLineText(const DataText* t, const cfFieldInfo* field) {
  if (t->d->nisland) {
    lineText(t, field);
  }
}


// a permutation in one line, with bars where the island changes
static void islandOrderText(const DataText* t, const cfFieldInfo* field) {
  const bool dofs = !strcmp(field->name, "map_idof2dof");
  const int* const island = dofs ? t->d->dof_island : t->d->efc_island;
  const int* const order = dofs ? t->d->map_idof2dof : t->d->map_iefc2efc;
  const int count = dofs ? (int)t->m->nv : t->d->nefc;
  char title[TITLE_MAX];
  if (!t->d->nisland) {
    return;
  }
  titleOf(field, title);
  cfi_printName(&t->out, 0, title);
  for (int k = 0; k < count; k++) {
    const bool border = k > 0 && island[order[k]] != island[order[k - 1]];
    fprintf(t->out.file, "%s %d", border ? " |" : "", order[k]);
  }
  fprintf(t->out.file, "\n\n");
}

//---------------------------------- delays and tendons --------------------------------------------


// one delay buffer: phase, place of the newest sample, times, samples of dim numbers
static void printHistory(const DataText* t, const mjtNum* buffer, int samples, int dim) {
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
static void historyText(const DataText* t, const cfFieldInfo* field) {
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


static void flexEdgesText(const DataText* t, const cfFieldInfo* field) {
  const mjModel* const m = t->m;
  const cfPattern s = {(int)m->nflexedge,    (int)m->nv,           m->flexedge_J_rownnz,
                       m->flexedge_J_rowadr, m->flexedge_J_colind, NULL};
  (void)field;
  cfi_printPattern(&t->out, "FLEXEDGE_J: flex edge connectivity", s, NULL);
  cfi_printSparse(&t->out, "FLEXEDGE_J", s, t->d->flexedge_J);
}


static void tendonsText(const DataText* t, const cfFieldInfo* field) {
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
      printNumbers(t, "", d->wrap_xpos + 3 * k, 3);
    }
    fputc('\n', t->out.file);
  }
}


static void momentText(const DataText* t, const cfFieldInfo* field) {
  const mjData* const d = t->d;
  const cfPattern s = {(int)t->m->nu,    (int)t->m->nv,    d->moment_rownnz,
                       d->moment_rowadr, d->moment_colind, NULL};
  (void)field;
  cfi_printPattern(&t->out, "actuator_moment", s, NULL);
  cfi_printSparse(&t->out, "ACTUATOR_MOMENT", s, d->actuator_moment);
}

//---------------------------------- inertia -------------------------------------------------------

// a filler as wide as a printed number
static void printGap(const DataText* t, char filler) {
  for (int k = cfi_numberWidth(&t->out); k > 0; k--) {
    fputc(filler, t->out.file);
  }
}


// lower triangle of a matrix with one entry per dof and ancestor
static void triangleText(const DataText* t, const cfFieldInfo* field) {
  const mjModel* const m = t->m;
  enum { DOF_MAX = 300 };
  (void)field;
  if (!m->nv || m->nv > DOF_MAX) {
    return;
  }
  fprintf(t->out.file, "QM\n");
  for (int i = 0; i < m->nv; i++) {
    // place of each ancestor's entry in the row
    int place[DOF_MAX];
    memset(place, -1, sizeof(place));
    for (int j = i, k = m->dof_Madr[i]; j >= 0; j = m->dof_parentid[j], k++) {
      place[j] = k;
    }
    fputc(' ', t->out.file);
    for (int j = 0; j <= i; j++) {
      fputc(' ', t->out.file);
      if (place[j] >= 0) {
        cfi_printElement(&t->out, CF_TYPE_mjtNum, t->d->qM, place[j]);
      } else {
        printGap(t, ' ');
      }
    }
    fputc('\n', t->out.file);
  }
  fputc('\n', t->out.file);
}


// a matrix with the pattern of M or of D, by its number of entries
static void dofMatrixText(const DataText* t, const cfFieldInfo* field) {
  const mjModel* const m = t->m;
  const bool square = !strcmp(field->rows, "m->nD");
  const cfPattern s = {(int)m->nv,
                       (int)m->nv,
                       square ? m->D_rownnz : m->M_rownnz,
                       square ? m->D_rowadr : m->M_rowadr,
                       square ? m->D_colind : m->M_colind,
                       NULL};
  char title[TITLE_MAX];
  titleOf(field, title);
  cfi_printSparse(&t->out, title, s, cfi_arrayOf(field, t->d));
}


// the same where somebody has written it
static void writtenMatrixText(const DataText* t, const cfFieldInfo* field) {
  if (!mju_isZero(cfi_arrayOf(field, t->d), (int)cfi_fieldCount(field, t->m, t->d))) {
    dofMatrixText(t, field);
  }
}


static void implicitText(const DataText* t, const cfFieldInfo* field) {
  if (!mju_isZero(t->d->qHDiagInv, (int)t->m->nv)) {
    dofMatrixText(t, field);
    rowsText(t, cfi_findField(&cfi_dataFields, "qHDiagInv"));
  }
}

//---------------------------------- islands -------------------------------------------------------

// drawing of a matrix with a block per island: rows ordered by island, in each the columns of its
// block.  owner[r] is the island of row r
typedef struct {
  cfPattern s;
  const int *order, *owner;
} BlockPattern;


static void printBlocks(const DataText* t, const char* title, BlockPattern b) {
  enum { COLUMN_MAX = 300 };
  FILE* const file = t->out.file;
  char edge[COLUMN_MAX + 3], row[COLUMN_MAX + 1];
  if (!b.s.nr || !b.s.nc || b.s.nc > COLUMN_MAX) {
    return;
  }
  memset(edge, '-', sizeof(edge));
  edge[b.s.nc + 2] = '\0';
  fprintf(file, "%s\n%s\n", title, edge);
  for (int r = 0; r < b.s.nr; r++) {
    const int island = b.owner[b.order[r]];
    CF_ASSERT(island >= 0 && island < t->d->nisland);
    memset(row, ' ', (size_t)b.s.nc);
    row[b.s.nc] = '\0';
    for (int k = 0; k < b.s.rownnz[r]; k++) {
      const int c = t->d->island_idofadr[island] + b.s.colind[b.s.rowadr[r] + k];
      CF_ASSERT(c >= 0 && c < b.s.nc);
      row[c] = (char)(island < 10 ? '0' + island : 'x');
    }
    fprintf(file, " %s |", row);
    if (b.s.rowsuper && b.s.rowsuper[r] > 0) {
      fprintf(file, " %d", b.s.rowsuper[r]);
    }
    fputc('\n', file);
  }
  fprintf(file, "%s\n\n", edge);
}


static void islandInertiaText(const DataText* t, const cfFieldInfo* field) {
  const mjModel* const m = t->m;
  const mjData* const d = t->d;
  (void)field;
  if (!d->nisland) {
    return;
  }
  cfi_printPattern(&t->out, "M: inertia structure",
                   (cfPattern){(int)m->nv, (int)m->nv, m->M_rownnz, m->M_rowadr, m->M_colind, NULL},
                   NULL);
  printBlocks(t, "iM: block-diagonal inertia (nnzs are island ids)",
              (BlockPattern){{d->nidof, d->nidof, d->iM_rownnz, d->iM_rowadr, d->iM_colind, NULL},
                             d->map_idof2dof,
                             d->dof_island});
}


// dense blocks of the Jacobian, dots around them
static void printDenseBlocks(const DataText* t) {
  const mjData* const d = t->d;
  FILE* const file = t->out.file;
  if (!d->iefc_J || !d->nefc || !d->nidof) {
    return;
  }
  fprintf(file, "IEFC_J\n");
  for (int island = 0; island < d->nisland; island++) {
    const int first = d->island_idofadr[island], cols = d->island_nv[island];
    const mjtNum* value = d->iefc_J + d->island_iefcadr[island] * d->nidof;
    for (int r = 0; r < d->island_nefc[island]; r++) {
      fputc(' ', file);
      for (int c = 0; c < d->nidof; c++) {
        if (c >= first && c < first + cols) {
          fputc(' ', file);
          cfi_printElement(&t->out, CF_TYPE_mjtNum, value++, 0);
        } else {
          printGap(t, '.');
          fputc(' ', file);
        }
      }
      fputc('\n', file);
    }
  }
  fputc('\n', file);
}

//---------------------------------- contacts and constraint rows ----------------------------------


static void printGeomOf(const DataText* t, int geom, const char* behind) {
  const char* name = mj_id2name(t->m, mjOBJ_GEOM, geom);
  if (name) {
    fprintf(t->out.file, "%s%s", name, behind);
  } else {
    fprintf(t->out.file, "%d%s", geom, behind);
  }
}


static void printContact(const DataText* t, int k) {
  FILE* const file = t->out.file;
  const mjContact* con = t->d->contact + k;
  mjtNum force[6] = {0};
  fprintf(file, "  %d:\n     dim           %d\n", k, con->dim);
  if (con->geom[0] >= 0 && con->geom[1] >= 0) {
    fprintf(file, "     geoms         ");
    printGeomOf(t, con->geom[0], " : ");
    printGeomOf(t, con->geom[1], "\n");
  } else {
    fprintf(file, "     gfev          %d %d %d %d : %d %d %d %d\n", con->geom[0], con->flex[0],
            con->elem[0], con->vert[0], con->geom[1], con->flex[1], con->elem[1], con->vert[1]);
  }
  fprintf(file, "     exclude       %d\n     efc_address   %d\n", con->exclude, con->efc_address);
  mj_contactForce(t->m, t->d, k, force);
  printNumbers(t, "     solref       ", con->solref, mjNREF);
  printNumbers(t, "     solimp       ", con->solimp, mjNIMP);
  printNumbers(t, "     dist         ", &con->dist, 1);
  printNumbers(t, "     includemargin", &con->includemargin, 1);
  printNumbers(t, "     pos          ", con->pos, 3);
  printNumbers(t, "     frame        ", con->frame, 9);
  printNumbers(t, "     friction     ", con->friction, 5);
  printNumbers(t, "     mu           ", &con->mu, 1);
  printNumbers(t, "     force        ", force, 6);
}


static void contactsText(const DataText* t, const cfFieldInfo* field) {
  (void)field;
  for (int k = 0; k < t->d->ncon; k++) {
    fputs(k ? "" : "CONTACT\n", t->out.file);
    printContact(t, k);
  }
  fputs(t->d->ncon ? "\n" : "", t->out.file);
}


static void printSparseRows(const DataText* t) {
  const mjData* const d = t->d;
  const cfPattern J = {d->nefc,         (int)t->m->nv,   d->efc_J_rownnz,
                       d->efc_J_rowadr, d->efc_J_colind, d->efc_J_rowsuper};
  const cfPattern A = {d->nefc,          d->nefc,          d->efc_AR_rownnz,
                       d->efc_AR_rowadr, d->efc_AR_colind, NULL};
  cfi_printRows(&t->out, "EFC_J_ROWNNZ", CF_TYPE_int, J.rownnz, J.nr, 1);
  cfi_printRows(&t->out, "EFC_J_ROWADR", CF_TYPE_int, J.rowadr, J.nr, 1);
  cfi_printSparse(&t->out, "EFC_J", J, d->efc_J);
  cfi_printPattern(&t->out, "J: constraint Jacobian", J, NULL);
  if (d->nisland) {
    const cfPattern s = {d->nefc,          d->nidof,         d->iefc_J_rownnz,
                         d->iefc_J_rowadr, d->iefc_J_colind, d->iefc_J_rowsuper};
    printBlocks(t, "IEFC_J: block-diagonalized constraint Jacobian (nnzs are island ids)",
                (BlockPattern){s, d->map_iefc2efc, d->efc_island});
  }
  if (mj_isDual(t->m)) {
    cfi_printRows(&t->out, "EFC_AR_ROWNNZ", CF_TYPE_int, A.rownnz, A.nr, 1);
    cfi_printRows(&t->out, "EFC_AR_ROWADR", CF_TYPE_int, A.rowadr, A.nr, 1);
    cfi_printSparse(&t->out, "EFC_AR", A, d->efc_AR);
    cfi_printPattern(&t->out, "efc_AR: inverse constraint inertia", A, NULL);
  }
}


static void jacobianText(const DataText* t, const cfFieldInfo* field) {
  const mjData* const d = t->d;
  (void)field;
  if (mj_isSparse(t->m)) {
    printSparseRows(t);
    return;
  }
  cfi_printRows(&t->out, "EFC_J", CF_TYPE_mjtNum, d->efc_J, d->nefc, t->m->nv);
  if (d->nisland) {
    printDenseBlocks(t);
  }
  cfi_printRows(&t->out, "EFC_AR", CF_TYPE_mjtNum, d->efc_AR, d->nefc, d->nefc);
}

//---------------------------------- the whole -----------------------------------------------------

static const DataItem data_items[] = {
    {"qpos", rowsText},
    {"qvel", rowsText},
    {"act", rowsText},
    {NULL, historyText},
    {"qacc_warmstart", rowsText},
    {"ctrl", rowsText},
    {"qfrc_applied", rowsText},
    {"xfrc_applied", rowsText},
    {"eq_active", lineText},
    {"mocap_pos", rowsText},
    {"mocap_quat", rowsText},
    {"qacc", rowsText},
    {"act_dot", rowsText},
    {"userdata", rowsText},
    {"sensordata", readingsText},
    {"tree_asleep", rowsText},
    {"xpos", rowsText},
    {"xquat", rowsText},
    {"xmat", rowsText},
    {"xipos", rowsText},
    {"ximat", rowsText},
    {"xanchor", rowsText},
    {"xaxis", rowsText},
    {"geom_xpos", rowsText},
    {"geom_xmat", rowsText},
    {"site_xpos", rowsText},
    {"site_xmat", rowsText},
    {"cam_xpos", rowsText},
    {"cam_xmat", rowsText},
    {"light_xpos", rowsText},
    {"light_xdir", rowsText},
    {"subtree_com", rowsText},
    {"cdof", rowsText},
    {"cinert", rowsText},
    {"flexvert_xpos", rowsText},
    {"flexelem_aabb", rowsText},
    {NULL, flexEdgesText},
    {"flexedge_length", rowsText},
    {"ten_length", rowsText},
    {NULL, tendonsText},
    {"actuator_length", rowsText},
    {NULL, momentText},
    {"crb", rowsText},
    {NULL, triangleText},
    {"M", dofMatrixText},
    {"qLD", dofMatrixText},
    {"qLDiagInv", rowsText},
    {NULL, islandInertiaText},
    {"qH", implicitText},
    {"tree_awake", listText},
    {"body_awake", listText},
    {"body_awake_ind", listText},
    {"parent_awake_ind", listText},
    {"dof_awake_ind", listText},
    {"qDeriv", writtenMatrixText},
    {"qLU", writtenMatrixText},
    {NULL, contactsText},
    {"efc_type", rowsText},
    {"efc_id", rowsText},
    {NULL, jacobianText},
    {"efc_pos", rowsText},
    {"efc_margin", rowsText},
    {"efc_frictionloss", rowsText},
    {"efc_diagApprox", rowsText},
    {"efc_KBIP", rowsText},
    {"efc_D", rowsText},
    {"efc_R", rowsText},
    {"flexedge_velocity", rowsText},
    {"ten_velocity", rowsText},
    {"actuator_velocity", rowsText},
    {"cvel", rowsText},
    {"cdof_dot", rowsText},
    {"qfrc_bias", rowsText},
    {"qfrc_spring", rowsText},
    {"qfrc_damper", rowsText},
    {"qfrc_gravcomp", rowsText},
    {"qfrc_fluid", rowsText},
    {"qfrc_passive", rowsText},
    {"efc_vel", rowsText},
    {"efc_aref", rowsText},
    {"subtree_linvel", rowsText},
    {"subtree_angmom", rowsText},
    {"actuator_force", rowsText},
    {"qfrc_actuator", rowsText},
    {"qfrc_smooth", rowsText},
    {"qacc_smooth", rowsText},
    {"efc_b", rowsText},
    {"efc_force", rowsText},
    {"efc_state", rowsText},
    {"qfrc_constraint", rowsText},
    {"qfrc_inverse", rowsText},
    {"cacc", rowsText},
    {"cfrc_int", rowsText},
    {"cfrc_ext", rowsText},
    {"tree_island", islandListText},
    {"island_ntree", islandListText},
    {"island_itreeadr", islandListText},
    {"map_itree2tree", islandListText},
    {"dof_island", islandLineText},
    {"island_nv", islandLineText},
    {"island_idofadr", islandLineText},
    {"map_idof2dof", islandOrderText},
    {"efc_island", islandLineText},
    {"island_nefc", islandLineText},
    {"island_iefcadr", islandLineText},
    {"map_iefc2efc", islandOrderText},
    {"tendon_efcadr", lineText},
};


void mj_printFormattedData(const mjModel* m, const mjData* d, const char* filename,
                           const char* float_format) {
  DataText t = {.m = m, .d = d};
  if (d->pstack) {
    mju_error("mj_printData: attempting to print mjData when stack is in use");
    return;
  }
  cfi_setFormat(&t.out, float_format);
  if (!cfi_openPrinter(&t.out, filename)) {
    return;
  }
  printDataMemory(&t);
  printCounts(&t);
  printCounters(&t);
  printSolver(&t);
  printTime(&t);
  for (size_t k = 0; k < sizeof(data_items) / sizeof(data_items[0]); k++) {
    const DataItem* item = data_items + k;
    const cfFieldInfo* field = item->name ? cfi_findField(&cfi_dataFields, item->name) : NULL;
    CF_ASSERT(field || !item->name);
    item->print(&t, field);
  }
  cfi_closePrinter(&t.out);
}


void mj_printData(const mjModel* m, const mjData* d, const char* filename) {
  mj_printFormattedData(m, d, filename, "% -9.2g");
}
