// Attributes with a rule of their own, of elements that stand in default classes as well as in the
// model.
#include "mjcf/writer.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "math/differ.h"

//---------------------------------- material ------------------------------------------------------

static const char* textureOf(const void* material, int role) {
  const void* textures = ((const mjsMaterial*)material)->textures;
  return role < cfi_countStrings(textures) ? cfi_text(cfi_strings(textures) + role) : "";
}

// anything but one texture for color is given by layers
static bool hasLayers(const void* material) {
  for (int role = 1; role < mjNTEXROLE; role++) {
    if (role != mjTEXROLE_RGB && *textureOf(material, role)) {
      return true;
    }
  }
  return false;
}

void cfi_saveTexture(cfWriter* w, const cfRow* row, const void* target, const void* base) {
  const char* texture = textureOf(target, mjTEXROLE_RGB);
  if (!hasLayers(target) && strcmp(texture, textureOf(base, mjTEXROLE_RGB)) != 0) {
    cfi_writeWord(w, row->name, texture);
  }
}

void cfi_writeLayers(cfWriter* w, const cfElement* material) {
  for (int role = 1; role < mjNTEXROLE && hasLayers(material->attr); role++) {
    if (*textureOf(material->attr, role)) {
      cfi_openTag(&w->out, "layer");
      cfi_writeText(&w->out, "texture", textureOf(material->attr, role));
      cfi_writeText(&w->out, "role", cfi_valueWord(WORDS_TEXROLE, role));
      cfi_closeTag(&w->out, "layer");
    }
  }
}

//---------------------------------- joint ---------------------------------------------------------

// place and axis, of joints that have them
void cfi_saveJointPlace(cfWriter* w, const cfRow* row, const void* target, const void* base) {
  const int type = ((const mjsJoint*)target)->type;
  const bool is_axis = row->offset == offsetof(mjsJoint, axis);
  (void)base;
  if (!w->is_class && type != mjJNT_FREE && !(is_axis && type == mjJNT_BALL)) {
    cfi_writeField(w, row, target, NULL);
  }
}

// limits of positions make no sense for free joints, those of forces for joints without an axis
void cfi_saveUnlessFree(cfWriter* w, const cfRow* row, const void* target, const void* base) {
  const int type = ((const mjsJoint*)target)->type;
  const bool is_force = row->offset == offsetof(mjsJoint, actfrclimited);
  if (type != mjJNT_FREE && !(is_force && type == mjJNT_BALL)) {
    cfi_writeField(w, row, target, base);
  }
}

//---------------------------------- geom, site ----------------------------------------------------

// as many sizes as the shape has, in classes all three
void cfi_saveSize(cfWriter* w, const cfRow* row, const void* target, const void* base) {
  static const int count[mjNGEOMTYPES] = {
      [mjGEOM_PLANE] = 3,   [mjGEOM_HFIELD] = 0,    [mjGEOM_SPHERE] = 1,
      [mjGEOM_CAPSULE] = 2, [mjGEOM_ELLIPSOID] = 3, [mjGEOM_CYLINDER] = 2,
      [mjGEOM_BOX] = 3,     [mjGEOM_MESH] = 0,      [mjGEOM_SDF] = 0};
  const bool is_geom = w->element->head.elemtype == mjOBJ_GEOM;
  const int type =
      is_geom ? (int)((const mjsGeom*)target)->type : (int)((const mjsSite*)target)->type;
  const double *size = (const double*)(const void*)((const char*)target + row->offset),
               *other = (const double*)(const void*)((const char*)base + row->offset);
  const int used = w->is_class ? 3 : type >= 0 && type < mjNGEOMTYPES ? count[type] : 0;
  bool is_defined = true;
  for (int k = 0; k < used; k++) {
    is_defined = is_defined && !isnan(size[k]);
  }
  if (used && is_defined && cfi_differ(size, other, used)) {
    cfi_writeDoubles(&w->out, row->name, size, used);
  }
}

// the inertia of a mesh is its own
void cfi_saveShell(cfWriter* w, const cfRow* row, const void* target, const void* base) {
  if (((const mjsGeom*)target)->type != mjGEOM_MESH) {
    cfi_writeField(w, row, target, base);
  }
}

// mass where it was given, unless it follows from the density of the class; density otherwise
void cfi_saveMass(cfWriter* w, const cfRow* row, const void* target, const void* base) {
  const mjsGeom *geom = (const mjsGeom*)target, *other = (const mjsGeom*)base;
  const bool is_mass = row->offset == offsetof(mjsGeom, mass);
  if (is_mass == isnan(geom->mass) || (is_mass && w->is_class)) {
    return;
  }
  const cfKept* kept = &w->element->kept;
  if (!is_mass || kept->count < 2) {
    cfi_writeField(w, row, target, base);
    return;
  }
  const double usual = kept->number[0] * other->density, *mass = kept->number + 1;
  if (cfi_differ(mass, &usual, 1)) {
    cfi_writeDoubles(&w->out, row->name, mass, 1);
  }
}

// asset of a shape that needs one
void cfi_saveShape(cfWriter* w, const cfRow* row, const void* target, const void* base) {
  const mjtGeom type = ((const mjsGeom*)target)->type;
  const bool is_hfield = row->offset == offsetof(mjsGeom, hfieldname);
  (void)base;
  if (is_hfield ? type == mjGEOM_HFIELD : type == mjGEOM_MESH || type == mjGEOM_SDF) {
    cfi_writeField(w, row, target, NULL);
  }
}

// material of the mesh of a geom that has none of its own, NULL for all others
static const char* meshMaterial(cfWriter* w, const void* target) {
  const mjsGeom* geom = (const mjsGeom*)target;
  if (w->is_class || w->element->head.elemtype != mjOBJ_GEOM || cfi_length(geom->material) ||
      !cfi_length(geom->meshname)) {
    return NULL;
  }
  const cfElement* mesh = cfi_find(w->spec, mjOBJ_MESH, cfi_text(geom->meshname));
  return mesh ? cfi_text(((const mjsMesh*)mesh->attr)->material) : NULL;
}

// no materials are left where everything visual was discarded
void cfi_saveMaterial(cfWriter* w, const cfRow* row, const void* target, const void* base) {
  const char* inherited = meshMaterial(w, target);
  if (!w->is_class && w->spec->kept.compiler.discardvisual) {
    return;
  }
  if (!inherited) {
    cfi_writeField(w, row, target, base);
  } else if (strcmp(inherited, cfi_text(((const mjsGeom*)base)->material)) != 0) {
    cfi_writeWord(w, row->name, inherited);
  }
}

//---------------------------------- camera --------------------------------------------------------

// words for the bits of the images
void cfi_saveCameraOutput(cfWriter* w, const cfRow* row, const void* target, const void* base) {
  char words[100] = "";
  int count, bits = ((const mjsCamera*)target)->output;
  const cfKeyword* word = cfi_keywords(row->words, &count);
  if (bits == ((const mjsCamera*)base)->output) {
    return;
  }
  for (int i = 0; i < count; i++) {
    if (bits & word[i].value) {
      size_t used = strlen(words);
      snprintf(words + used, sizeof(words) - used, "%s%s", used ? " " : "", word[i].word);
    }
  }
  cfi_writeWord(w, row->name, words);
}

// field of view, or what a sensor chip is described by
void cfi_saveLens(cfWriter* w, const cfRow* row, const void* target, const void* base) {
  const float* chip = ((const mjsCamera*)target)->sensor_size;
  const bool has_chip = chip[0] > 0 && chip[1] > 0;
  if (has_chip != (row->offset == offsetof(mjsCamera, fovy))) {
    cfi_writeField(w, row, target, row->offset == offsetof(mjsCamera, sensor_size) ? NULL : base);
  }
}

//---------------------------------- tendon, actuator ----------------------------------------------

// one length where both ends are the same
void cfi_saveSpringLength(cfWriter* w, const cfRow* row, const void* target, const void* base) {
  const double *length = ((const mjsTendon*)target)->springlength,
               *other = ((const mjsTendon*)base)->springlength;
  const int count = length[0] != length[1] || other[0] != other[1] ? 2 : 1;
  if (cfi_differ(length, other, count)) {
    cfi_writeDoubles(&w->out, row->name, length, count);
  }
}

// number of activations, unless it follows from the dynamics or from a model of ours
void cfi_saveActivations(cfWriter* w, const cfRow* row, const void* target, const void* base) {
  if (cfi_writtenGain(w->element)) {
    cfi_writeField(w, row, w->element->attr, base);
    return;
  }
  const mjsActuator* actuator = (const mjsActuator*)target;
  const int usual =
      w->is_class ? ((const mjsActuator*)base)->actdim : (actuator->dyntype == mjDYN_NONE ? 0 : 1);
  if (actuator->actdim != usual) {
    cfi_writeInts(&w->out, row->name, &actuator->actdim, 1);
  }
}

// dynamics that a model of ours brings along are not said
void cfi_saveDynamics(cfWriter* w, const cfRow* row, const void* target, const void* base) {
  cfi_writeField(w, row, cfi_writtenGain(w->element) ? w->element->attr : target, base);
}

// a model of ours has its own words for gain and parameters
void cfi_saveGain(cfWriter* w, const cfRow* row, const void* target, const void* base) {
  cfRow plain = *row;
  plain.is_trimmed = row->how == HOW_UPTO;
  if (!cfi_writtenGain(w->element)) {
    cfi_writeField(w, &plain, target, base);
  }
}
