// Text output of mjModel: sizes, options, then objects with their fields, then arrays.
#include <string.h>

#include "model/layout.h"
#include "model/names.h"
#include "model/print.h"

//---------------------------------- structs held by value -----------------------------------------

typedef struct {
  const char *owner, *name;
  cftType type;
  size_t offset, size;
} Member;

// members whose element type is none of these are left out
#define ELEMENT_TYPE(member) \
  _Generic(member, mjtNum: CF_TYPE_mjtNum, mjtNum*: CF_TYPE_mjtNum, float: CF_TYPE_float, \
           float*: CF_TYPE_float, int: CF_TYPE_int, int*: CF_TYPE_int, default: CF_TYPE_mjContact)

static const Member struct_members[] = {
#define CF_MEMBER(structure, ctype, name, dims, unit, doc)                            \
  {#structure, #name, ELEMENT_TYPE(((structure*)0)->name), offsetof(structure, name), \
   sizeof(((structure*)0)->name)},
#include "tables/structs.h"
#include "tables/structs_model.def"
#include "tables/structs_end.h"
};


static void printStruct(cfPrinter* p, const char* title, const char* owner, const void* value) {
  fprintf(p->file, "%s\n", title);
  for (size_t k = 0; k < sizeof(struct_members) / sizeof(struct_members[0]); k++) {
    const Member* member = struct_members + k;
    if (!strcmp(member->owner, owner) && member->type != CF_TYPE_mjContact) {
      const size_t width = member->type == CF_TYPE_mjtNum ? sizeof(mjtNum) : sizeof(int);
      cfi_printElements(p, member->name, member->type, (const char*)value + member->offset, 0,
                        (mjtSize)(member->size / width));
    }
  }
  fputc('\n', p->file);
}

//---------------------------------- objects -------------------------------------------------------

// arrays with this many rows describe objects of one type
typedef struct {
  const char *rows, *label;
  int type;
} ObjectKind;

static const ObjectKind object_kinds[] = {
    {"m->nbody", "BODY", mjOBJ_BODY},
    {"m->njnt", "JOINT", mjOBJ_JOINT},
    {"m->nv", "DOF", mjOBJ_DOF},
    {"m->ntree", "TREE", mjOBJ_UNKNOWN},
    {"m->ngeom", "GEOM", mjOBJ_GEOM},
    {"m->nsite", "SITE", mjOBJ_SITE},
    {"m->ncam", "CAMERA", mjOBJ_CAMERA},
    {"m->nlight", "LIGHT", mjOBJ_LIGHT},
    {"m->nflex", "FLEX", mjOBJ_FLEX},
    {"m->nmesh", "MESH", mjOBJ_MESH},
    {"m->nskin", "SKIN", mjOBJ_SKIN},
    {"m->nhfield", "HFIELD", mjOBJ_HFIELD},
    {"m->ntex", "TEXTURE", mjOBJ_TEXTURE},
    {"m->nmat", "MATERIAL", mjOBJ_MATERIAL},
    {"m->npair", "PAIR", mjOBJ_PAIR},
    {"m->nexclude", "EXCLUDE", mjOBJ_EXCLUDE},
    {"m->neq", "EQUALITY", mjOBJ_EQUALITY},
    {"m->ntendon", "TENDON", mjOBJ_TENDON},
    {"m->nu", "ACTUATOR", mjOBJ_ACTUATOR},
    {"m->nsensor", "SENSOR", mjOBJ_SENSOR},
    {"m->nplugin", "PLUGIN", mjOBJ_PLUGIN},
    {"m->nnumeric", "NUMERIC", mjOBJ_NUMERIC},
    {"m->ntext", "TEXT", mjOBJ_TEXT},
    {"m->ntuple", "TUPLE", mjOBJ_TUPLE},
    {"m->nkey", "KEY", mjOBJ_KEY},
};


static const ObjectKind* objectKindOf(const cfFieldInfo* field) {
  for (size_t k = 0; k < sizeof(object_kinds) / sizeof(object_kinds[0]); k++) {
    if (!strcmp(object_kinds[k].rows, field->rows)) {
      return object_kinds + k;
    }
  }
  return NULL;
}


// addresses of names are printed as names
static bool isNameAddress(const cfFieldInfo* field) {
  return !strncmp(field->name, "name_", 5);
}


// fields [first, last) of all objects of a kind
static void printObjects(cfPrinter* p, const mjModel* m, const ObjectKind* kind, int first,
                         int last) {
  mjtSize shape[2];
  cfi_modelFields.field[first].shape(m, NULL, shape);
  for (mjtSize id = 0; id < shape[0]; id++) {
    const char* name = mj_id2name(m, kind->type, (int)id);
    fprintf(p->file, "%s %lld:\n  %-21s %s\n", kind->label, (long long)id, "name",
            name ? name : "");
    for (int k = first; k < last; k++) {
      const cfFieldInfo* field = cfi_modelFields.field + k;
      mjtSize own[2];
      field->shape(m, NULL, own);
      if (own[1] && !isNameAddress(field)) {
        cfi_printElements(p, field->name, field->type, cfi_arrayOf(field, m), id * own[1], own[1]);
      }
    }
    fputc('\n', p->file);
  }
}


// runs of fields of the same kind are printed object by object, other arrays row by row.  Bulk data
// (vertices, pixels, elevations) and strings are left out.
static void printFields(cfPrinter* p, const mjModel* m) {
  for (int k = 0; k < cfi_modelFields.count;) {
    const cfFieldInfo* field = cfi_modelFields.field + k;
    const ObjectKind* kind = objectKindOf(field);
    int last = k + 1;
    while (kind && last < cfi_modelFields.count &&
           !strcmp(cfi_modelFields.field[last].rows, field->rows)) {
      last++;
    }
    if (kind && !isNameAddress(field)) {
      printObjects(p, m, kind, k, last);
    } else if (!kind && field->home != CF_HOME_BULK && field->type != CF_TYPE_char) {
      mjtSize shape[2];
      field->shape(m, NULL, shape);
      cfi_printRows(p, field->name, field->type, cfi_arrayOf(field, m), shape[0], shape[1]);
    }
    k = last;
  }
}

//---------------------------------- model ---------------------------------------------------------


static void printSizes(cfPrinter* p, const mjModel* m) {
  fprintf(p->file, "SIZES\n");
  for (int k = 0; k < cfi_modelSizes.count; k++) {
    const cfFieldInfo* field = cfi_modelSizes.field + k;
    mjtSize size;
    memcpy(&size, (const char*)m + field->offset, sizeof(size));
    if (size) {
      cfi_printElements(p, field->name, CF_TYPE_mjtSize, &size, 0, 1);
    }
  }
  fputc('\n', p->file);
}


void mj_printFormattedModel(const mjModel* m, const char* filename, const char* float_format) {
  cfPrinter p;
  if (!cfi_openPrinter(&p, filename, float_format, "mjModel")) {
    return;
  }
  fprintf(p.file, "MuJoCo version %s\nmodel name     %s\n\nMEMORY\n", mj_versionString(), m->names);
  cfi_printMemory(&p, "total", (mjtSize)sizeof(mjModel) + m->nbuffer);
  cfi_printMemory(&p, "buffer", m->nbuffer);
  fputc('\n', p.file);
  printSizes(&p, m);
  printStruct(&p, "OPTION", "mjOption", &m->opt);
  const mjtNum mass = mj_getTotalmass(m);
  cfi_printElements(&p, "totalmass", CF_TYPE_mjtNum, &mass, 0, 1);
  fputc('\n', p.file);
  printStruct(&p, "STATISTIC", "mjStatistic", &m->stat);
  printStruct(&p, "VISUAL", "mjVisual", &m->vis);
  printFields(&p, m);
  cfi_closePrinter(&p);
}


void mj_printModel(const mjModel* m, const char* filename) {
  mj_printFormattedModel(m, filename, "% -9.2g");
}
