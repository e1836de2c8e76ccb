// Text output of mjModel: sizes, options and statistics, then the fields of every object, then what
// a user has added, keyframes, sparse matrices and the trees of boxes.  The layout is MuJoCo's.
#include <string.h>

#include "base/assert.h"
#include "model/layout.h"
#include "model/names.h"
#include "model/print.h"

//---------------------------------- memory, sizes, options ----------------------------------------


// bytes of the arrays whose name begins so, except those with a row per object
static size_t bytesOf(const mjModel* m, const char* prefix, const char* objects) {
  size_t sum = 0;
  for (int k = 0; k < cfi_modelFields.count; k++) {
    const cfFieldInfo* field = cfi_modelFields.field + k;
    if (!strncmp(field->name, prefix, strlen(prefix)) && strcmp(field->rows, objects)) {
      sum += field->size * (size_t)cfi_fieldCount(field, m, NULL);
    }
  }
  return sum;
}


static void printShare(const cfPrinter* p, const char* name, size_t bytes) {
  if (bytes) {
    fprintf(p->file, "  %-12s", name);
    cfi_printMemory(p, bytes);
    fputc('\n', p->file);
  }
}


// what the model takes in all, and its large parts
static void printModelMemory(const cfPrinter* p, const mjModel* m) {
  const size_t total = (size_t)mj_sizeModel(m);
  const size_t mesh = m->nmesh ? bytesOf(m, "mesh_", "m->nmesh") : 0;
  const size_t box = bytesOf(m, "bvh_", "") + bytesOf(m, "oct_", "");
  const size_t texture = m->ntex ? (size_t)m->ntexdata : 0;
  const size_t skin = m->nskin ? bytesOf(m, "skin_", "m->nskin") : 0;
  fprintf(p->file, "MEMORY\n");
  printShare(p, "total", total);
  printShare(p, "meshes", mesh);
  printShare(p, "bvhs", box);
  printShare(p, "textures", texture);
  printShare(p, "skins", skin);
  printShare(p, "other", total - mesh - box - texture - skin);
  fputc('\n', p->file);
}


static void printModelSizes(const cfPrinter* p, const mjModel* m) {
  fprintf(p->file, "SIZES\n");
  for (int k = 0; k < cfi_modelSizes.count; k++) {
    const cfFieldInfo* field = cfi_modelSizes.field + k;
    mjtSize size;
    memcpy(&size, (const char*)m + field->offset, sizeof(size));
    if (size) {
      cfi_printIndented(p, 2, field->name);
      cfi_printElement(p, CF_TYPE_mjtSize, &size, 0);
      fputc('\n', p->file);
    }
  }
  fputc('\n', p->file);
}


// numbers, then integers, then vectors
static void printOptions(const cfPrinter* p, const mjModel* m) {
  fprintf(p->file, "OPTION\n");
  for (int pass = 0; pass < 3; pass++) {
    for (int k = 0; k < cfi_optionFields.count; k++) {
      const cfFieldInfo* field = cfi_optionFields.field + k;
      const void* value = cfi_fieldElements(field, &m->opt);
      const int group = field->length > 1 ? 2 : field->type == CF_TYPE_int;
      if (group != pass) {
        continue;
      }
      cfi_printIndented(p, 2, field->name);
      if (group == 2) {
        cfi_printList(p, field->type, value, field->length);
      } else {
        cfi_printElement(p, field->type, value, 0);
        fputc('\n', p->file);
      }
    }
  }
  fputc('\n', p->file);
}


static void printStatistics(const cfPrinter* p, const mjModel* m) {
  const mjtNum mass = mj_getTotalmass(m);
  cfi_printName(p, 0, "totalmass");
  cfi_printElement(p, CF_TYPE_mjtNum, &mass, 0);
  fprintf(p->file, "\n\nSTATISTIC\n");
  for (int k = 0; k < cfi_statisticFields.count; k++) {
    const cfFieldInfo* field = cfi_statisticFields.field + k;
    cfi_printIndented(p, 2, field->name);
    for (mjtSize i = 0; i < field->length; i++) {
      cfi_printElement(p, field->type, cfi_fieldElements(field, &m->stat), i);
    }
    fputc('\n', p->file);
  }
  fputc('\n', p->file);
}


static void printRest(const cfPrinter* p, const mjModel* m) {
  cfi_printName(p, 0, "qpos0");
  cfi_printList(p, CF_TYPE_mjtNum, m->qpos0, m->nq);
  fputc('\n', p->file);
  cfi_printName(p, 0, "qpos_spring");
  cfi_printList(p, CF_TYPE_mjtNum, m->qpos_spring, m->nq);
  fputc('\n', p->file);
}

//---------------------------------- objects -------------------------------------------------------

// size of the hull behind the fields of a mesh
static void printHull(const cfPrinter* p, const mjModel* m, int id) {
  if (m->mesh_graphadr[id] < 0) {
    return;
  }
  const int* graph = m->mesh_graph + m->mesh_graphadr[id];
  cfi_printName(p, 2, "qhull face");
  fprintf(p->file, " %d\n", graph[1]);
  cfi_printName(p, 2, "qhull vert");
  fprintf(p->file, " %d\n", graph[0]);
}


// path behind the fields of a tendon
static void printPath(const cfPrinter* p, const mjModel* m, int id) {
  fprintf(p->file, "  path\n    type  objid  prm\n");
  for (int k = m->tendon_adr[id]; k < m->tendon_adr[id] + m->tendon_num[id]; k++) {
    fprintf(p->file, "    %d     %d     ", m->wrap_type[k], m->wrap_objid[k]);
    cfi_printElement(p, CF_TYPE_mjtNum, m->wrap_prm, k);
    fputc('\n', p->file);
  }
  fputc('\n', p->file);
}


// arrays whose names begin so and that have this many rows describe objects of one type
typedef struct {
  const char *label, *rows, *prefix;
  int type;                                                    // mjOBJ_UNKNOWN: without names
  void (*more)(const cfPrinter* p, const mjModel* m, int id);  // behind the fields, or NULL
} ObjectKind;

static const ObjectKind object_kinds[] = {
    {"BODY", "m->nbody", "body_", mjOBJ_BODY, NULL},
    {"JOINT", "m->njnt", "jnt_", mjOBJ_JOINT, NULL},
    {"DOF", "m->nv", "dof_", mjOBJ_UNKNOWN, NULL},
    {"TREE", "m->ntree", "tree_", mjOBJ_UNKNOWN, NULL},
    {"GEOM", "m->ngeom", "geom_", mjOBJ_GEOM, NULL},
    {"SITE", "m->nsite", "site_", mjOBJ_SITE, NULL},
    {"CAMERA", "m->ncam", "cam_", mjOBJ_CAMERA, NULL},
    {"LIGHT", "m->nlight", "light_", mjOBJ_LIGHT, NULL},
    {"FLEX", "m->nflex", "flex_", mjOBJ_FLEX, NULL},
    {"MESH", "m->nmesh", "mesh_", mjOBJ_MESH, printHull},
    {"SKIN", "m->nskin", "skin_", mjOBJ_SKIN, NULL},
    {"HEIGHTFIELD", "m->nhfield", "hfield_", mjOBJ_HFIELD, NULL},
    {"TEXTURE", "m->ntex", "tex_", mjOBJ_TEXTURE, NULL},
    {"MATERIAL", "m->nmat", "mat_", mjOBJ_MATERIAL, NULL},
    {"PAIR", "m->npair", "pair_", mjOBJ_PAIR, NULL},
    {"EXCLUDE", "m->nexclude", "exclude_", mjOBJ_EXCLUDE, NULL},
    {"EQUALITY", "m->neq", "eq_", mjOBJ_EQUALITY, NULL},
    {"TENDON", "m->ntendon", "tendon_", mjOBJ_TENDON, printPath},
    {"ACTUATOR", "m->nu", "actuator_", mjOBJ_ACTUATOR, NULL},
    {"SENSOR", "m->nsensor", "sensor_", mjOBJ_SENSOR, NULL},
};


static const char* nameOrEmpty(const mjModel* m, int type, int id) {
  const char* name = mj_id2name(m, type, id);
  return name ? name : "";
}


// row id of every array of the kind
static void printObject(const cfPrinter* p, const mjModel* m, const ObjectKind* kind, mjtSize id) {
  for (int k = 0; k < cfi_modelFields.count; k++) {
    const cfFieldInfo* field = cfi_modelFields.field + k;
    mjtSize shape[2];
    if (strcmp(field->rows, kind->rows) ||
        strncmp(field->name, kind->prefix, strlen(kind->prefix))) {
      continue;
    }
    field->shape(m, NULL, shape);
    CF_ASSERT(id < shape[0]);
    if (shape[1] > 0 && field->type != CF_TYPE_char) {
      const char* array = cfi_arrayOf(field, m);
      cfi_printName(p, 2, field->name);
      cfi_printList(p, field->type, array + (size_t)(id * shape[1]) * field->size, shape[1]);
    }
  }
}


static mjtSize countOf(const mjModel* m, const ObjectKind* kind) {
  for (int k = 0; k < cfi_modelFields.count; k++) {
    mjtSize shape[2];
    if (!strcmp(cfi_modelFields.field[k].rows, kind->rows)) {
      cfi_modelFields.field[k].shape(m, NULL, shape);
      return shape[0];
    }
  }
  CF_ASSERT(!"a kind of object without arrays");
  return 0;
}


static void printObjects(const cfPrinter* p, const mjModel* m, const ObjectKind* kind) {
  const mjtSize count = countOf(m, kind);
  for (mjtSize id = 0; id < count; id++) {
    fprintf(p->file, "\n%s %d:\n", kind->label, (int)id);
    if (kind->type != mjOBJ_UNKNOWN) {
      cfi_printName(p, 2, "name");
      fprintf(p->file, "%s%s\n", kind->type == mjOBJ_HFIELD ? "  " : " ",
              nameOrEmpty(m, kind->type, (int)id));
    }
    printObject(p, m, kind, id);
    if (kind->more) {
      kind->more(p, m, (int)id);
    }
  }
  if (count) {
    fputc('\n', p->file);
  }
}

//---------------------------------- what a user has added -----------------------------------------


static void printHead(const cfPrinter* p, const char* label, int id, const char* name, int size) {
  fprintf(p->file, "\n%s %d:\n  name         %s\n  size         %d\n", label, id, name, size);
}


static void printCustom(const cfPrinter* p, const mjModel* m) {
  for (int i = 0; i < m->nnumeric; i++) {
    printHead(p, "NUMERIC", i, nameOrEmpty(m, mjOBJ_NUMERIC, i), m->numeric_size[i]);
    fprintf(p->file, "  value       ");
    for (int k = 0; k < m->numeric_size[i]; k++) {
      cfi_printElement(p, CF_TYPE_mjtNum, m->numeric_data, m->numeric_adr[i] + k);
    }
    fputc('\n', p->file);
  }
  fputs(m->nnumeric ? "\n" : "", p->file);
  for (int i = 0; i < m->ntext; i++) {
    printHead(p, "TEXT", i, nameOrEmpty(m, mjOBJ_TEXT, i), m->text_size[i]);
    fprintf(p->file, "  value        %s\n", m->text_data + m->text_adr[i]);
  }
  fputs(m->ntext ? "\n" : "", p->file);
  for (int i = 0; i < m->ntuple; i++) {
    printHead(p, "TUPLE", i, nameOrEmpty(m, mjOBJ_TUPLE, i), m->tuple_size[i]);
    fprintf(p->file, "  elements\n");
    for (int k = m->tuple_adr[i]; k < m->tuple_adr[i] + m->tuple_size[i]; k++) {
      fprintf(p->file, "       %s %d, prm = ", mju_type2Str(m->tuple_objtype[k]),
              m->tuple_objid[k]);
      cfi_printElement(p, CF_TYPE_mjtNum, m->tuple_objprm, k);
      fputc('\n', p->file);
    }
  }
  fputs(m->ntuple ? "\n" : "", p->file);
}

//---------------------------------- keyframes -----------------------------------------------------


// one row of a keyframe where it differs from what it would be without; was anything printed?
static bool printKeyRow(const cfPrinter* p, const char* name, int key, const mjtNum* rows,
                        mjtSize count, bool differs) {
  if (differs) {
    fprintf(p->file, "%s%d   ", name, key);
    for (mjtSize k = 0; k < count; k++) {
      cfi_printElement(p, CF_TYPE_mjtNum, rows, key * count + k);
    }
    fputc('\n', p->file);
  }
  return differs;
}


static bool keyNonzero(const mjtNum* rows, int key, mjtSize count) {
  for (mjtSize k = 0; k < count; k++) {
    if (rows[key * count + k] != 0) {
      return true;
    }
  }
  return false;
}


// is a mocap body of the keyframe elsewhere than in the model?  width 3: position, 4: orientation
static bool mocapMoved(const mjModel* m, const mjtNum* rows, const mjtNum* body, int key,
                       int width) {
  for (int b = 0; b < m->nbody; b++) {
    const int id = m->body_mocapid[b];
    for (int k = 0; id >= 0 && k < width; k++) {
      if (body[width * b + k] != rows[width * (key * m->nmocap + id) + k]) {
        return true;
      }
    }
  }
  return false;
}


static void printKeyframe(const cfPrinter* p, const mjModel* m, int key) {
  bool moved = false, some = false;
  const char* name = nameOrEmpty(m, mjOBJ_KEY, key);
  if (*name) {
    fprintf(p->file, "key_name%d    %s\n", key, name);
  }
  if (m->key_time[key] != 0) {
    fprintf(p->file, "key_time%d    %.4f\n", key, m->key_time[key]);
  }
  for (int k = 0; k < m->nq; k++) {
    moved |= m->qpos0[k] != m->key_qpos[key * m->nq + k];
  }
  some |= printKeyRow(p, "key_qpos", key, m->key_qpos, m->nq, moved);
  some |= printKeyRow(p, "key_qvel", key, m->key_qvel, m->nv, keyNonzero(m->key_qvel, key, m->nv));
  some |= printKeyRow(p, "key_act", key, m->key_act, m->na, keyNonzero(m->key_act, key, m->na));
  some |= printKeyRow(p, "key_mpos", key, m->key_mpos, 3 * m->nmocap,
                      mocapMoved(m, m->key_mpos, m->body_pos, key, 3));
  some |= printKeyRow(p, "key_mquat", key, m->key_mquat, 4 * m->nmocap,
                      mocapMoved(m, m->key_mquat, m->body_quat, key, 4));
  some |= printKeyRow(p, "key_ctrl", key, m->key_ctrl, m->nu, keyNonzero(m->key_ctrl, key, m->nu));
  fputs(some ? "\n" : "", p->file);
}

//---------------------------------- matrices and boxes --------------------------------------------

static void printIndices(const cfPrinter* p, const char* title, const int* array, mjtSize count) {
  cfi_printRows(p, title, CF_TYPE_int, array, 1, count);
}


// patterns of the matrices that have the model's structure
static void printPatterns(const cfPrinter* p, const mjModel* m) {
  const int nbody = (int)m->nbody, nv = (int)m->nv;
  cfi_printPattern(p, "B: body-dof matrix",
                   (cfPattern){nbody, nv, m->B_rownnz, m->B_rowadr, m->B_colind, NULL}, NULL);
  printIndices(p, "B_ROWNNZ", m->B_rownnz, m->nbody);
  printIndices(p, "B_ROWADR", m->B_rowadr, m->nbody);
  printIndices(p, "B_COLIND", m->B_colind, m->nB);
  cfi_printPattern(p, "M: reduced inertia matrix",
                   (cfPattern){nv, nv, m->M_rownnz, m->M_rowadr, m->M_colind, NULL}, NULL);
  printIndices(p, "M_ROWNNZ", m->M_rownnz, m->nv);
  printIndices(p, "M_ROWADR", m->M_rowadr, m->nv);
  printIndices(p, "M_COLIND", m->M_colind, m->nC);
  printIndices(p, "MAPM2M", m->mapM2M, m->nC);
  cfi_printPattern(p, "D: dof-dof matrix",
                   (cfPattern){nv, nv, m->D_rownnz, m->D_rowadr, m->D_colind, NULL}, m->D_diag);
  printIndices(p, "D_ROWNNZ", m->D_rownnz, m->nv);
  printIndices(p, "D_ROWADR", m->D_rowadr, m->nv);
  printIndices(p, "D_COLIND", m->D_colind, m->nD);
  printIndices(p, "MAPM2D", m->mapM2D, m->nD);
  printIndices(p, "MAPD2M", m->mapD2M, m->nC);
}


static void printBoxes(const cfPrinter* p, const mjModel* m) {
  fprintf(p->file, "BVH:\n  %-8s%-8s%-8s%-10s%s\n", "id", "depth", "nodeid", "child[0]",
          "child[1]");
  for (int k = 0; k < m->nbvh; k++) {
    fprintf(p->file, "  %-8d%-8d% -8d% -10d% -d\n", k, m->bvh_depth[k], m->bvh_nodeid[k],
            m->bvh_child[2 * k], m->bvh_child[2 * k + 1]);
  }
  fputc('\n', p->file);
}


void mj_printFormattedModel(const mjModel* m, const char* filename, const char* float_format) {
  cfPrinter p;
  if (!cfi_openPrinter(&p, filename)) {
    return;
  }
  cfi_setFormat(&p, float_format);
  fprintf(p.file, "MuJoCo version %s\nmodel name     %s\n\n", mj_versionString(), m->names);
  printModelMemory(&p, m);
  printModelSizes(&p, m);
  printOptions(&p, m);
  printStatistics(&p, m);
  printRest(&p, m);
  for (size_t k = 0; k < sizeof(object_kinds) / sizeof(object_kinds[0]); k++) {
    printObjects(&p, m, object_kinds + k);
  }
  printCustom(&p, m);
  for (int k = 0; k < m->nkey; k++) {
    printKeyframe(&p, m, k);
  }
  printPatterns(&p, m);
  fprintf(p.file, "\nSIGNATURE\n  %lu\n\n", (unsigned long)m->signature);
  printBoxes(&p, m);
  cfi_closePrinter(&p);
}


void mj_printModel(const mjModel* m, const char* filename) {
  mj_printFormattedModel(m, filename, "% -9.2g");
}
