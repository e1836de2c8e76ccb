// Assets and deformable objects.
#include "mjcf/writer.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cortenforge/flex.h>

#include "base/assert.h"
#include "base/path.h"

static void writeFile(cfWriter* w, const char* attribute, const char* file, bool is_texture) {
  file = w->spec->kept.strippath ? cfi_fileName(file) : file;
  cfString scratch;
  cfi_initString(&scratch);
  cfi_writeWord(w, attribute, *file ? cfi_fileText(w, w->element, file, is_texture, &scratch) : "");
  cfi_freeString(&scratch);
}

static const char* textAt(const void* target, const cfRow* row) {
  return cfi_text(*(cfString* const*)(const void*)((const char*)target + row->offset));
}

//---------------------------------- texture -------------------------------------------------------

// what a pattern is made from; files and patterns exclude each other
void cfi_savePattern(cfWriter* w, const cfRow* row, const void* target, const void* base) {
  const bool is_always = row->offset == offsetof(mjsTexture, width) ||
                         row->offset == offsetof(mjsTexture, height) ||
                         row->offset == offsetof(mjsTexture, builtin);
  if (((const mjsTexture*)target)->builtin != mjBUILTIN_NONE) {
    cfi_writeField(w, row, target, is_always ? NULL : base);
  }
}

void cfi_saveTextureFile(cfWriter* w, const cfRow* row, const void* target, const void* base) {
  if (((const mjsTexture*)target)->builtin != mjBUILTIN_NONE) {
    return;
  }
  if (row->offset == offsetof(mjsTexture, file)) {
    writeFile(w, row->name, textAt(target, row), true);
  } else {
    cfi_writeField(w, row, target, row->how == HOW_TEXT ? NULL : base);
  }
}

static const char* cubeFile(const mjsTexture* texture, int side) {
  return side < cfi_countStrings(texture->cubefiles)
             ? cfi_text(cfi_strings(texture->cubefiles) + side)
             : "";
}

void cfi_saveTextureSide(cfWriter* w, const cfRow* row, const void* target, const void* base) {
  static const char* const sides[6] = {"fileright", "fileleft",  "fileup",
                                       "filedown",  "filefront", "fileback"};
  const mjsTexture* texture = (const mjsTexture*)target;
  (void)base;
  for (int i = 0; i < 6 && texture->builtin == mjBUILTIN_NONE; i++) {
    if (strcmp(row->name, sides[i]) == 0) {
      writeFile(w, row->name, cubeFile(texture, i), true);
    }
  }
}

void cfi_saveTextureGrid(cfWriter* w, const cfRow* row, const void* target, const void* base) {
  const mjsTexture* texture = (const mjsTexture*)target;
  const int* grid = texture->gridsize;
  (void)base;
  if (texture->builtin != mjBUILTIN_NONE || (grid[0] == 1 && grid[1] == 1)) {
    return;
  }
  if (row->offset == offsetof(mjsTexture, gridsize)) {
    cfi_writeInts(&w->out, row->name, grid, 2);
  } else {
    const int64_t cells = (int64_t)grid[0] * grid[1];
    char layout[13] = "";
    memcpy(layout, texture->gridlayout, cells > 0 && cells < 12 ? (size_t)cells : 12);
    cfi_writeWord(w, row->name, layout);
  }
}

// pixels that a program has set are in no file
static bool isBuffer(const mjsTexture* texture) {
  bool has_file = !cfi_isEmptyString(texture->file);
  for (int side = 0; side < 6; side++) {
    has_file = has_file || *cubeFile(texture, side);
  }
  return texture->builtin == mjBUILTIN_NONE && !has_file && texture->gridsize[0] == 1 &&
         texture->gridsize[1] == 1;
}

static void writeTexture(cfWriter* w, const cfElement* e) {
  if (isBuffer((const mjsTexture*)e->attr)) {
    w->trouble = "no support for buffer textures.";
    return;
  }
  cfi_openTag(&w->out, "texture");
  cfi_writeAttributes(w, TAG_ASSET_TEXTURE, e, cfi_pristine(w, mjOBJ_TEXTURE));
  cfi_closeTag(&w->out, "texture");
}

//---------------------------------- height field, skin --------------------------------------------

// file of a mesh, height field or skin, and what kind of file that is
void cfi_saveFile(cfWriter* w, const cfRow* row, const void* target, const void* base) {
  (void)base;
  if (w->is_class) {
    return;
  }
  if (strcmp(row->name, "file") == 0) {
    writeFile(w, row->name, textAt(target, row), false);
  } else if (!cfi_isEmptyString(((const mjsHField*)target)->file)) {
    cfi_writeField(w, row, target, NULL);
  }
}

// content of a mesh's file: what was said, or what its name says
void cfi_saveMeshType(cfWriter* w, const cfRow* row, const void* target, const void* base) {
  static const char* const types[][2] = {
      {".obj", "model/obj"}, {".stl", "model/stl"}, {".msh", "model/vnd.mujoco.msh"}};
  const mjsMesh* mesh = (const mjsMesh*)target;
  const char* extension = cfi_fileExtension(cfi_text(mesh->file));
  (void)base;
  if (w->is_class || !cfi_isEmptyString(mesh->content_type)) {
    cfi_writeWord(w, row->name, w->is_class ? "" : cfi_text(mesh->content_type));
    return;
  }
  for (size_t k = 0; k < sizeof(types) / sizeof(types[0]); k++) {
    if (strcmp(extension, types[k][0]) == 0) {
      cfi_writeText(&w->out, row->name, types[k][1]);
    }
  }
}

// grid of a height field that is not read from a file
void cfi_saveGrid(cfWriter* w, const cfRow* row, const void* target, const void* base) {
  (void)base;
  if (cfi_isEmptyString(((const mjsHField*)target)->file)) {
    cfi_writeField(w, row, target, NULL);
  }
}

// rows from top to bottom
void cfi_saveElevation(cfWriter* w, const cfRow* row, const void* target, const void* base) {
  const mjsHField* hfield = (const mjsHField*)target;
  const size_t nrow = (size_t)hfield->nrow, ncol = (size_t)hfield->ncol;
  (void)base;
  if (!cfi_isEmptyString(hfield->file) || nrow * ncol == 0 ||
      (size_t)cfi_countFloats(hfield->userdata) != nrow * ncol) {
    return;
  }
  float* flipped = (float*)malloc(nrow * ncol * sizeof(float));
  if (!flipped) {
    w->trouble = "could not allocate memory for writing a height field";
    return;
  }
  for (size_t k = 0; k < nrow; k++) {
    memcpy(flipped + k * ncol, cfi_floats(hfield->userdata) + (nrow - 1 - k) * ncol,
           ncol * sizeof(float));
  }
  cfi_writeFloatArray(&w->out, row->name, flipped, (int)(nrow * ncol), (int)ncol);
  free(flipped);
}

static void writeHField(cfWriter* w, const cfElement* e) {
  cfi_openTag(&w->out, "hfield");
  cfi_writeName(w, e);
  cfi_writeAttributes(w, TAG_ASSET_HFIELD, e, cfi_pristine(w, mjOBJ_HFIELD));
  cfi_closeTag(&w->out, "hfield");
}

// points and faces of a skin that is not read from a file
void cfi_saveSkinArray(cfWriter* w, const cfRow* row, const void* target, const void* base) {
  (void)base;
  if (cfi_isEmptyString(((const mjsSkin*)target)->file)) {
    cfi_writeField(w, row, target, NULL);
  }
}

// weights are those of the model, which sum up to one at every vertex
static void writeWeights(cfWriter* w, const cfKept* kept, int at, const cfVec* weight) {
  const int count = cfi_countFloats(weight);
  float* value = (float*)malloc((size_t)(count + 1) * sizeof(float));
  for (int k = 0; value && k < count; k++) {
    value[k] = at + k < kept->count ? (float)kept->number[at + k] : cfi_floats(weight)[k];
  }
  if (value) {
    cfi_writeFloatArray(&w->out, "vertweight", value, count, 0);
  } else {
    w->trouble = "could not allocate memory for writing a skin";
  }
  free(value);
}

// the rotation of a quaternion of any length
static void writeUnit(cfWriter* w, const char* name, const float* given) {
  float quat[4];
  mjtNum unit[4];
  mju_f2n(unit, given, 4);
  mju_normalize4(unit);
  mju_n2f(quat, unit, 4);
  cfi_writeFloats(&w->out, name, quat, 4);
}

static void writeBones(cfWriter* w, const cfElement* e) {
  const mjsSkin* skin = (const mjsSkin*)e->attr;
  int at = 0;
  const int count = cfi_countStrings(skin->bodyname);
  for (int i = 0; i < count; i++) {
    const cfVec* id = cfi_vecs(skin->vertid) + i;
    const cfVec* weight = cfi_vecs(skin->vertweight) + i;
    cfi_openTag(&w->out, "bone");
    cfi_writeText(&w->out, "body", cfi_text(cfi_strings(skin->bodyname) + i));
    cfi_writeFloats(&w->out, "bindpos", cfi_floats(skin->bindpos) + 3 * i, 3);
    writeUnit(w, "bindquat", cfi_floats(skin->bindquat) + 4 * i);
    cfi_writeInts(&w->out, "vertid", cfi_ints(id), cfi_countInts(id));
    writeWeights(w, &e->kept, at, weight);
    at += cfi_countFloats(weight);
    cfi_closeTag(&w->out, "bone");
  }
}

static void saveSkin(cfWriter* w, const cfElement* e) {
  const mjsSkin* skin = (const mjsSkin*)e->attr;
  cfi_openTag(&w->out, "skin");
  cfi_writeName(w, e);
  cfi_writeAttributes(w, TAG_DEFORMABLE_SKIN, e, cfi_pristine(w, mjOBJ_SKIN));
  if (cfi_isEmptyString(skin->file)) {
    writeBones(w, e);
  }
  cfi_closeTag(&w->out, "skin");
}

//---------------------------------- flex ----------------------------------------------------------

// MuJoCo knows two of the four words when it saves; models of ours keep them all
void cfi_saveElastic2d(cfWriter* w, const cfRow* row, const void* target, const void* base) {
  const cfElement* e = w->element;
  const bool is_ours = cfi_length(&e->part.flex.model[0]) || cfi_length(&e->part.flex.model[1]) ||
                       e->part.flex.is_implicit || e->part.flex.moduli;
  if (is_ours || ((const mjsFlex*)target)->elastic2d < 2) {
    cfi_writeField(w, row, target, base);
  }
}

// tetrahedra with their faces outwards
void cfi_saveFlexElements(cfWriter* w, const cfRow* row, const void* target, const void* base) {
  const cfKept* kept = &w->element->kept;
  (void)base;
  if (kept->count == 0) {
    cfi_writeField(w, row, target, NULL);
    return;
  }
  int* elem = (int*)malloc((size_t)kept->count * sizeof(int));
  if (!elem) {
    w->trouble = "could not allocate memory for writing a flex";
    return;
  }
  for (int k = 0; k < kept->count; k++) {
    elem[k] = (int)kept->number[k];
  }
  cfi_writeInts(&w->out, row->name, elem, kept->count);
  free(elem);
}

// texture coordinates of elements; where there are none but those of vertices, the first vertices
// of the elements stand for them
void cfi_saveFlexTexcoord(cfWriter* w, const cfRow* row, const void* target, const void* base) {
  const mjsFlex* flex = (const mjsFlex*)target;
  const int count = cfi_countInts(flex->elem) / (flex->dim + 1) * 3;
  (void)base;
  if (cfi_countInts(flex->elemtexcoord)) {
    cfi_writeField(w, row, target, NULL);
  } else if (cfi_countFloats(flex->texcoord) && count <= cfi_countInts(flex->elem)) {
    cfi_writeInts(&w->out, row->name, cfi_ints(flex->elem), count);
  }
}

// attributes of a flex that stand in a child; elasticity is there even without any
static void saveFlexChild(cfWriter* w, const cfElement* e, cftTag tag) {
  const cfOutputMark before = cfi_markOutput(&w->out);
  cfi_openTag(&w->out, cfi_tags[tag].tag);
  const cfOutputMark start = cfi_markOutput(&w->out);
  cfi_writeAttributes(w, tag, e, cfi_pristine(w, mjOBJ_FLEX));
  if (tag == TAG_DEFORMABLE_FLEX_ELASTICITY) {
    if (e->part.flex.moduli == CF_MODULI_TEXTBOOK) {
      cfi_writeText(&w->out, "moduli", "textbook");
    }
    cfi_closeTag(&w->out, cfi_tags[tag].tag);
  } else {
    cfi_closeUnlessEmpty(&w->out, cfi_tags[tag].tag, before, start);
  }
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
  cfi_writeAttributes(w, TAG_DEFORMABLE_FLEX, e, cfi_pristine(w, mjOBJ_FLEX));
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

// a mesh that a plugin makes has a file at most
static void writeMesh(cfWriter* w, const cfElement* e) {
  const mjsMesh* mesh = (const mjsMesh*)e->attr;
  cfi_openTag(&w->out, "mesh");
  cfi_writeName(w, e);
  if (mesh->plugin.active) {
    w->element = e;
    writeFile(w, "file", cfi_text(mesh->file), false);
    cfi_writePlugin(w, &mesh->plugin);
  } else {
    cfi_writeClass(w, e, "main");
    cfi_writeAttributes(w, TAG_ASSET_MESH, e, cfi_defaultElement(cfi_defaultOf(e), mjOBJ_MESH));
  }
  cfi_closeTag(&w->out, "mesh");
}

static void writeMaterial(cfWriter* w, const cfElement* e) {
  cfi_openTag(&w->out, "material");
  cfi_writeName(w, e);
  cfi_writeClass(w, e, "main");
  cfi_writeAttributes(w, TAG_ASSET_MATERIAL, e,
                      cfi_defaultElement(cfi_defaultOf(e), mjOBJ_MATERIAL));
  cfi_writeLayers(w, e);
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
  const cfOutputMark before = cfi_markOutput(&w->out);
  cfi_openTag(&w->out, "asset");
  const cfOutputMark start = cfi_markOutput(&w->out);
  for (int k = 0; k < 4; k++) {
    const cfList* list = cfi_list(w->spec, kinds[k].type);
    for (int i = 0; i < list->count; i++) {
      if (!list->item[i]->is_dropped && !w->trouble) {
        kinds[k].write(w, list->item[i]);
      }
    }
  }
  cfi_closeUnlessEmpty(&w->out, "asset", before, start);
}
