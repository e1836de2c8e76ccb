// Text output of scenes in MuJoCo's format: geoms, lights and cameras field by field, of soft
// bodies and skins where their data lie.
#include "model/print.h"
#include "tables/fields.h"

//---------------------------------- tables of fields ----------------------------------------------

// which fields of a struct are printed, in which order; what drawing has computed itself is not
static const char* const geom_names[] = {
    "type", "category", "label",    "objtype",   "objid",       "pos",
    "mat",  "size",     "segid",    "dataid",    "matid",       "texcoord",
    "rgba", "emission", "specular", "shininess", "reflectance", NULL};
static const char* const light_names[] = {
    "id",        "pos",         "dir",     "type",       "castshadow", "headlight",
    "intensity", "range",       "ambient", "diffuse",    "specular",   "texid",
    "exponent",  "attenuation", "cutoff",  "bulbradius", NULL};
static const char* const camera_names[] = {"pos",
                                           "forward",
                                           "up",
                                           "orthographic",
                                           "frustum_center",
                                           "frustum_width",
                                           "frustum_bottom",
                                           "frustum_top",
                                           "frustum_near",
                                           "frustum_far",
                                           NULL};


static void printSceneField(const cfPrinter* p, const cfFieldInfo* field, const void* item) {
  const void* elements = cfi_fieldElements(field, item);
  cfi_printIndented(p, 4, field->name);
  if (field->type == CF_TYPE_char) {
    fprintf(p->file, "%s\n", (const char*)elements);
  } else if (field->length > 1) {
    cfi_printList(p, field->type, elements, field->length);
  } else {
    cfi_printElement(p, field->type, elements, 0);
    fputc('\n', p->file);
  }
}


// the named fields of count structs of a size
static void printItems(const cfPrinter* p, const char* label, const cfFieldTable* table,
                       const char* const* names, const void* items, int count, size_t size) {
  fprintf(p->file, "%sS %d\n", label, count);
  for (int i = 0; i < count; i++) {
    fprintf(p->file, "  %s %d\n", label, i);
    for (const char* const* name = names; *name; name++) {
      printSceneField(p, cfi_findField(table, *name), (const char*)items + (size_t)i * size);
    }
    fputc('\n', p->file);
  }
  fputc('\n', p->file);
}

//---------------------------------- soft bodies and skins -----------------------------------------


static void printSceneInt(const cfPrinter* p, int indent, const char* name, int value) {
  cfi_printIndented(p, indent, name);
  fprintf(p->file, " %d\n", value);
}


// arrays that are too long to print
static void printLong(const cfPrinter* p, const char* name) {
  cfi_printIndented(p, 4, name);
  fprintf(p->file, "...\n");
}


static void printFlexes(const cfPrinter* p, const mjvScene* s) {
  fprintf(p->file, "FLEX DATA %d\n", s->nflex);
  for (int f = 0; f < s->nflex; f++) {
    fprintf(p->file, "  FLEX DATA %d\n", f);
    printSceneInt(p, 4, "face_used", s->flexfaceused[f]);
    printSceneInt(p, 4, "edge_adr", s->flexedgeadr[f]);
    printSceneInt(p, 4, "edge_num", s->flexedgenum[f]);
    printSceneInt(p, 4, "vert_adr", s->flexvertadr[f]);
    printSceneInt(p, 4, "vert_num", s->flexvertnum[f]);
    printSceneInt(p, 4, "face_adr", s->flexfaceadr[f]);
    printSceneInt(p, 4, "face_num", s->flexfacenum[f]);
    printLong(p, "edges");
    printLong(p, "verts");
    printLong(p, "faces");
    printLong(p, "normals");
    printLong(p, "texcoords");
    fputc('\n', p->file);
  }
  fputc('\n', p->file);
}


static void printSkins(const cfPrinter* p, const mjvScene* s) {
  fprintf(p->file, "SKIN DATA %d\n", s->nskin);
  for (int k = 0; k < s->nskin; k++) {
    fprintf(p->file, "  SKIN DATA %d\n", k);
    printSceneInt(p, 4, "face_num", s->skinfacenum[k]);
    printSceneInt(p, 4, "vert_adr", s->skinvertadr[k]);
    printSceneInt(p, 4, "vert_num", s->skinvertnum[k]);
    printLong(p, "verts");
    printLong(p, "normals");
    fputc('\n', p->file);
  }
  fputc('\n', p->file);
}

//---------------------------------- settings ------------------------------------------------------


// flags of the renderer, transformation of the scene
static void printSettings(const cfPrinter* p, const mjvScene* s) {
  fprintf(p->file, "FLAGS\n");
  for (int i = 0; i < mjNRNDFLAG; i++) {
    cfi_printName(p, 2, mjRNDSTRING[i][0]);
    fprintf(p->file, " %d\n", s->flags[i]);
  }
  printSceneInt(p, 2, "flexvertopt", s->flexvertopt);
  printSceneInt(p, 2, "flexedgeopt", s->flexedgeopt);
  printSceneInt(p, 2, "flexfaceopt", s->flexfaceopt);
  printSceneInt(p, 2, "flexskinopt", s->flexskinopt);
  printSceneInt(p, 2, "stereo", s->stereo);
  fprintf(p->file, "\n\nTRANSFORM %d\n", s->enabletransform);
  if (s->enabletransform) {
    cfi_printIndented(p, 2, "translate");
    cfi_printList(p, CF_TYPE_float, s->translate, 3);
    cfi_printIndented(p, 2, "rotate");
    cfi_printList(p, CF_TYPE_float, s->rotate, 4);
    cfi_printIndented(p, 2, "scale");
    cfi_printElement(p, CF_TYPE_float, &s->scale, 0);
    fprintf(p->file, "\n\n");
  }
  fputc('\n', p->file);
}


void mj_printFormattedScene(const mjvScene* s, const char* filename, const char* float_format) {
  cfPrinter p;
  if (!cfi_openPrinter(&p, filename)) {
    return;
  }
  cfi_setFormat(&p, float_format);
  printItems(&p, "GEOM", &cfi_vgeomFields, geom_names, s->geoms, s->ngeom, sizeof(mjvGeom));
  printItems(&p, "LIGHT", &cfi_vlightFields, light_names, s->lights, s->nlight, sizeof(mjvLight));
  printItems(&p, "CAMERA", &cfi_vcameraFields, camera_names, s->camera, 2, sizeof(mjvGLCamera));
  printFlexes(&p, s);
  printSkins(&p, s);
  printSettings(&p, s);
  cfi_closePrinter(&p);
}


void mj_printScene(const mjvScene* s, const char* filename) {
  mj_printFormattedScene(s, filename, "% -9.2g");
}
