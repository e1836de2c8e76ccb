// Text output of mjData: contacts with their forces, constraint rows.
#include "api/datatext.h"

static void printGeomOf(const cfDataText* t, int geom, const char* behind) {
  const char* name = mj_id2name(t->m, mjOBJ_GEOM, geom);
  if (name) {
    fprintf(t->out.file, "%s%s", name, behind);
  } else {
    fprintf(t->out.file, "%d%s", geom, behind);
  }
}


static void printContact(const cfDataText* t, int k) {
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
  cfi_printNumbers(t, "     solref       ", con->solref, mjNREF);
  cfi_printNumbers(t, "     solimp       ", con->solimp, mjNIMP);
  cfi_printNumbers(t, "     dist         ", &con->dist, 1);
  cfi_printNumbers(t, "     includemargin", &con->includemargin, 1);
  cfi_printNumbers(t, "     pos          ", con->pos, 3);
  cfi_printNumbers(t, "     frame        ", con->frame, 9);
  cfi_printNumbers(t, "     friction     ", con->friction, 5);
  cfi_printNumbers(t, "     mu           ", &con->mu, 1);
  cfi_printNumbers(t, "     force        ", force, 6);
}


void cfi_contactsText(const cfDataText* t, const cfFieldInfo* field) {
  (void)field;
  for (int k = 0; k < t->d->ncon; k++) {
    fputs(k ? "" : "CONTACT\n", t->out.file);
    printContact(t, k);
  }
  fputs(t->d->ncon ? "\n" : "", t->out.file);
}


static void printSparseRows(const cfDataText* t) {
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
    cfi_printBlocks(t, "IEFC_J: block-diagonalized constraint Jacobian (nnzs are island ids)",
                    (cfBlockPattern){s, d->map_iefc2efc, d->efc_island});
  }
  if (mj_isDual(t->m)) {
    cfi_printRows(&t->out, "EFC_AR_ROWNNZ", CF_TYPE_int, A.rownnz, A.nr, 1);
    cfi_printRows(&t->out, "EFC_AR_ROWADR", CF_TYPE_int, A.rowadr, A.nr, 1);
    cfi_printSparse(&t->out, "EFC_AR", A, d->efc_AR);
    cfi_printPattern(&t->out, "efc_AR: inverse constraint inertia", A, NULL);
  }
}


void cfi_jacobianText(const cfDataText* t, const cfFieldInfo* field) {
  const mjData* const d = t->d;
  (void)field;
  if (mj_isSparse(t->m)) {
    printSparseRows(t);
    return;
  }
  cfi_printRows(&t->out, "EFC_J", CF_TYPE_mjtNum, d->efc_J, d->nefc, t->m->nv);
  if (d->nisland) {
    cfi_printDenseBlocks(t);
  }
  cfi_printRows(&t->out, "EFC_AR", CF_TYPE_mjtNum, d->efc_AR, d->nefc, d->nefc);
}
