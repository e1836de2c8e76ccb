// Text output of scenes: geoms, lights and cameras field by field as their tables list them.
#include "model/print.h"
#include "tables/fields.h"


// one element of an array of structs; texts are printed as such
static void printItem(cfPrinter* p, const char* title, int index, const cfFieldTable* table,
                      const void* item) {
  fprintf(p->file, "%s %d\n", title, index);
  for (int i = 0; i < table->count; i++) {
    const cfFieldInfo* field = table->field + i;
    const void* elements = cfi_fieldElements(field, item);
    if (field->type == CF_TYPE_char) {
      fprintf(p->file, "  %-21s %s\n", field->name, (const char*)elements);
    } else {
      cfi_printElements(p, field->name, field->type, elements, 0, field->length);
    }
  }
  fputc('\n', p->file);
}


static void printInt(cfPrinter* p, const char* name, int value) {
  cfi_printElements(p, name, CF_TYPE_int, &value, 0, 1);
}


static void printFlexes(cfPrinter* p, const mjvScene* s) {
  fprintf(p->file, "FLEXES %d\n", s->nflex);
  for (int f = 0; f < s->nflex; f++) {
    const int row[7] = {s->flexedgeadr[f], s->flexedgenum[f], s->flexvertadr[f], s->flexvertnum[f],
                        s->flexfaceadr[f], s->flexfacenum[f], s->flexfaceused[f]};
    static const char* const name[7] = {"edgeadr", "edgenum", "vertadr", "vertnum",
                                        "faceadr", "facenum", "faceused"};
    fprintf(p->file, "FLEX %d\n", f);
    for (int k = 0; k < 7; k++) {
      printInt(p, name[k], row[k]);
    }
  }
  fputc('\n', p->file);
}


static void printSkins(cfPrinter* p, const mjvScene* s) {
  fprintf(p->file, "SKINS %d\n", s->nskin);
  for (int k = 0; k < s->nskin; k++) {
    fprintf(p->file, "SKIN %d\n", k);
    printInt(p, "facenum", s->skinfacenum[k]);
    printInt(p, "vertadr", s->skinvertadr[k]);
    printInt(p, "vertnum", s->skinvertnum[k]);
  }
  fputc('\n', p->file);
}


// flags of the renderer, transformation and frame
static void printSettings(cfPrinter* p, const mjvScene* s) {
  fprintf(p->file, "FLAGS\n");
  for (int i = 0; i < mjNRNDFLAG; i++) {
    printInt(p, mjRNDSTRING[i][0], s->flags[i]);
  }
  printInt(p, "flexvertopt", s->flexvertopt);
  printInt(p, "flexedgeopt", s->flexedgeopt);
  printInt(p, "flexfaceopt", s->flexfaceopt);
  printInt(p, "flexskinopt", s->flexskinopt);
  printInt(p, "stereo", s->stereo);
  fprintf(p->file, "\nTRANSFORM %d\n", s->enabletransform);
  if (s->enabletransform) {
    cfi_printElements(p, "translate", CF_TYPE_float, s->translate, 0, 3);
    cfi_printElements(p, "rotate", CF_TYPE_float, s->rotate, 0, 4);
    cfi_printElements(p, "scale", CF_TYPE_float, &s->scale, 0, 1);
  }
}


void mj_printFormattedScene(const mjvScene* s, const char* filename, const char* float_format) {
  cfPrinter printer;
  if (!cfi_openPrinter(&printer, filename, float_format, "mjvScene")) {
    return;
  }
  fprintf(printer.file, "GEOMS %d\n\n", s->ngeom);
  for (int i = 0; i < s->ngeom; i++) {
    printItem(&printer, "GEOM", i, &cfi_vgeomFields, s->geoms + i);
  }
  fprintf(printer.file, "LIGHTS %d\n\n", s->nlight);
  for (int i = 0; i < s->nlight; i++) {
    printItem(&printer, "LIGHT", i, &cfi_vlightFields, s->lights + i);
  }
  fprintf(printer.file, "CAMERAS 2\n\n");
  for (int i = 0; i < 2; i++) {
    printItem(&printer, "CAMERA", i, &cfi_vcameraFields, s->camera + i);
  }
  printFlexes(&printer, s);
  printSkins(&printer, s);
  printSettings(&printer, s);
  cfi_closePrinter(&printer);
}


void mj_printScene(const mjvScene* s, const char* filename) {
  mj_printFormattedScene(s, filename, "% -9.2g");
}
