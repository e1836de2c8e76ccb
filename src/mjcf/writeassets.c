// Assets and deformable objects.
#include "mjcf/writer.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/path.h"

// files of attached models are given with their full path, others as they were
const char* cfi_fileText(cfWriter* w, const cfElement* e, const char* file, bool is_texture,
                         cfString* scratch) {
  if (e->scope == &w->spec->scope || cfi_absolutePrefix(file) > 0) {
    return file;
  }
  const mjsCompiler* compiler = cfi_compilerOf(e);
  const char* folder = cfi_text(is_texture ? compiler->texturedir : compiler->meshdir);
  char* inner = cfi_joinPath(folder, file);
  char* path = cfi_joinPath(cfi_modelDirOf(e), inner ? inner : file);
  char* full = path ? realpath(path, NULL) : NULL;
  cfi_assignString(scratch, full ? full : path ? path : file);
  free(full);
  mju_free(path);
  mju_free(inner);
  return cfi_text(scratch);
}

static void writeFile(cfWriter* w, const cfElement* e, const char* attribute, const char* file,
                      bool is_texture) {
  cfString scratch;
  cfi_initString(&scratch);
  if (*file) {
    cfi_writeText(&w->out, attribute, cfi_fileText(w, e, file, is_texture, &scratch));
  }
  cfi_freeString(&scratch);
}

//---------------------------------- texture, height field, skin -----------------------------------

static void writeTexture(cfWriter* w, const cfElement* e) {
  static const char* const sides[6] = {"fileright", "fileleft",  "fileup",
                                       "filedown",  "filefront", "fileback"};
  const mjsTexture* texture = (const mjsTexture*)e->attr;
  int64_t cells = (int64_t)texture->gridsize[0] * texture->gridsize[1];
  cfi_openTag(&w->out, "texture");
  cfi_writeName(w, e);
  cfi_writeFields(w, TAG_ASSET_TEXTURE, texture, cfi_pristine(w, mjOBJ_TEXTURE)->attr);
  writeFile(w, e, "file", cfi_text(texture->file), true);
  if (cells > 1 && cells <= 12) {
    char layout[13] = "";
    memcpy(layout, texture->gridlayout, (size_t)cells);
    cfi_writeText(&w->out, "gridlayout", layout);
  }
  for (int i = 0; i < 6 && i < cfi_countStrings(texture->cubefiles); i++) {
    writeFile(w, e, sides[i], cfi_text(cfi_strings(texture->cubefiles) + i), true);
  }
  cfi_closeTag(&w->out, "texture");
}

// rows from top to bottom
static void writeElevation(cfWriter* w, const mjsHField* hfield) {
  const size_t nrow = (size_t)hfield->nrow, ncol = (size_t)hfield->ncol;
  if ((size_t)cfi_countFloats(hfield->userdata) != nrow * ncol || nrow * ncol == 0) {
    return;
  }
  float* flipped = (float*)malloc(nrow * ncol * sizeof(float));
  for (size_t row = 0; flipped && row < nrow; row++) {
    memcpy(flipped + row * ncol, cfi_floats(hfield->userdata) + (nrow - 1 - row) * ncol,
           ncol * sizeof(float));
  }
  if (flipped) {
    cfi_writeFloats(&w->out, "elevation", flipped, (int)(nrow * ncol));
  }
  free(flipped);
}

static void writeHField(cfWriter* w, const cfElement* e) {
  const mjsHField* hfield = (const mjsHField*)e->attr;
  cfi_openTag(&w->out, "hfield");
  cfi_writeName(w, e);
  cfi_writeFields(w, TAG_ASSET_HFIELD, hfield, cfi_pristine(w, mjOBJ_HFIELD)->attr);
  writeFile(w, e, "file", cfi_text(hfield->file), false);
  if (cfi_isEmptyString(hfield->file)) {
    writeElevation(w, hfield);
  }
  cfi_closeTag(&w->out, "hfield");
}

static void writeBones(cfWriter* w, const mjsSkin* skin) {
  const int count = cfi_countStrings(skin->bodyname);
  for (int i = 0; i < count; i++) {
    const cfVec* id = cfi_vecs(skin->vertid) + i;
    const cfVec* weight = cfi_vecs(skin->vertweight) + i;
    cfi_openTag(&w->out, "bone");
    cfi_writeText(&w->out, "body", cfi_text(cfi_strings(skin->bodyname) + i));
    cfi_writeFloats(&w->out, "bindpos", cfi_floats(skin->bindpos) + 3 * i, 3);
    cfi_writeFloats(&w->out, "bindquat", cfi_floats(skin->bindquat) + 4 * i, 4);
    cfi_writeInts(&w->out, "vertid", cfi_ints(id), cfi_countInts(id));
    cfi_writeFloats(&w->out, "vertweight", cfi_floats(weight), cfi_countFloats(weight));
    cfi_closeTag(&w->out, "bone");
  }
}

static void saveSkin(cfWriter* w, const cfElement* e) {
  const mjsSkin* skin = (const mjsSkin*)e->attr;
  cfi_openTag(&w->out, "skin");
  cfi_writeName(w, e);
  cfi_writeFields(w, TAG_DEFORMABLE_SKIN, skin, cfi_pristine(w, mjOBJ_SKIN)->attr);
  writeFile(w, e, "file", cfi_text(skin->file), false);
  if (cfi_isEmptyString(skin->file)) {
    writeBones(w, skin);
  }
  cfi_closeTag(&w->out, "skin");
}

// attributes of a flex that stand in a child; no child where all of them have their initial values
static void saveFlexChild(cfWriter* w, const cfElement* e, cftTag tag) {
  const cfOutput before = w->out;
  cfi_openTag(&w->out, cfi_tags[tag].tag);
  const size_t opened = w->out.used;
  cfi_writeFields(w, tag, e->attr, cfi_pristine(w, mjOBJ_FLEX)->attr);
  if (w->out.used > opened) {
    cfi_closeTag(&w->out, cfi_tags[tag].tag);
    return;
  }
  w->out.used = before.used;
  w->out.depth = before.depth;
  w->out.is_open = before.is_open;
  w->out.text[before.used] = 0;
}

static void saveFlexModels(cfWriter* w, const cfElement* e) {
  static const char* const names[2] = {"bending_model", "elasticity_model"};
  for (int k = 0; k < 2; k++) {
    if (cfi_length(&e->part.flex.model[k])) {
      cfi_writeText(&w->out, names[k], cfi_text(&e->part.flex.model[k]));
    }
  }
  if (e->part.flex.is_implicit) {
    cfi_writeText(&w->out, "implicit_stiffness", "true");
  }
}

static void saveFlex(cfWriter* w, const cfElement* e) {
  cfi_openTag(&w->out, "flex");
  cfi_writeName(w, e);
  cfi_writeFields(w, TAG_DEFORMABLE_FLEX, e->attr, cfi_pristine(w, mjOBJ_FLEX)->attr);
  saveFlexModels(w, e);
  saveFlexChild(w, e, TAG_DEFORMABLE_FLEX_CONTACT);
  saveFlexChild(w, e, TAG_DEFORMABLE_FLEX_ELASTICITY);
  saveFlexChild(w, e, TAG_DEFORMABLE_FLEX_EDGE);
  cfi_closeTag(&w->out, "flex");
}

void cfi_writeDeformables(cfWriter* w) {
  const cfList* flexes = cfi_list(w->spec, mjOBJ_FLEX);
  const cfList* skins = cfi_list(w->spec, mjOBJ_SKIN);
  if (flexes->count + skins->count == 0) {
    return;
  }
  cfi_openTag(&w->out, "deformable");
  for (int i = 0; i < flexes->count; i++) {
    saveFlex(w, flexes->item[i]);
  }
  for (int i = 0; i < skins->count; i++) {
    saveSkin(w, skins->item[i]);
  }
  cfi_closeTag(&w->out, "deformable");
}

//---------------------------------- mesh, material ------------------------------------------------

static void writeMesh(cfWriter* w, const cfElement* e) {
  const mjsMesh* mesh = (const mjsMesh*)e->attr;
  cfi_openTag(&w->out, "mesh");
  cfi_writeName(w, e);
  cfi_writeClass(w, e, "main");
  cfi_writeMesh(w, TAG_ASSET_MESH, e, cfi_defaultElement(cfi_defaultOf(e), mjOBJ_MESH));
  writeFile(w, e, "file", cfi_text(mesh->file), false);
  cfi_writePlugin(w, "plugin", &mesh->plugin);
  cfi_closeTag(&w->out, "mesh");
}

static void writeMaterial(cfWriter* w, const cfElement* e) {
  cfi_openTag(&w->out, "material");
  cfi_writeName(w, e);
  cfi_writeClass(w, e, "main");
  cfi_writeMaterial(w, TAG_ASSET_MATERIAL, e, cfi_defaultElement(cfi_defaultOf(e), mjOBJ_MATERIAL));
  cfi_closeTag(&w->out, "material");
}

void cfi_writeAssets(cfWriter* w) {
  static const struct {
    mjtObj type;
    void (*write)(cfWriter*, const cfElement*);
  } kinds[] = {{mjOBJ_TEXTURE, writeTexture},
               {mjOBJ_MATERIAL, writeMaterial},
               {mjOBJ_MESH, writeMesh},
               {mjOBJ_HFIELD, writeHField}};
  int total = 0;
  for (int k = 0; k < 4; k++) {
    total += cfi_list(w->spec, kinds[k].type)->count;
  }
  if (total == 0) {
    return;
  }
  cfi_openTag(&w->out, "asset");
  for (int k = 0; k < 4; k++) {
    const cfList* list = cfi_list(w->spec, kinds[k].type);
    for (int i = 0; i < list->count; i++) {
      kinds[k].write(w, list->item[i]);
    }
  }
  cfi_closeTag(&w->out, "asset");
}
