// Names and paths into mjModel, and the signature of its structure.
#include "compile/phases.h"

#include <string.h>

#include "model/names.h"
#include "spec/signature.h"

const char* cfi_fileOf(const cfPart* part) {
  switch (part->type) {
    case mjOBJ_MESH:
      return ((const cfMeshDraft*)part)->file;
    case mjOBJ_HFIELD:
      return ((const cfHFieldDraft*)part)->file;
    case mjOBJ_TEXTURE:
      return ((const cfTextureDraft*)part)->file;
    case mjOBJ_SKIN:
      return ((const cfSkinDraft*)part)->file;
    default:
      return "";
  }
}


// append a text with its final zero; returns the address behind it
static int appendText(char* buffer, int adr, const char* text) {
  const size_t bytes = strlen(text) + 1;
  memcpy(buffer + adr, text, bytes);
  return adr + (int)bytes;
}


// paths of one kind of asset, -1 where there is no file
static int fillPaths(cfDraft* draft, mjtObj type, int* address, int adr) {
  const cfPartList* list = cfi_parts(draft, type);
  for (int i = 0; i < list->count; i++) {
    const char* file = cfi_fileOf(list->item[i]);
    address[i] = file[0] ? adr : -1;
    adr = file[0] ? appendText(draft->model->paths, adr, file) : adr;
  }
  return adr;
}


void cfi_fillNames(cfDraft* draft) {
  mjModel* m = draft->model;
  int adr = appendText(m->names, 0, cfi_text(draft->spec->pub.modelname));
  for (int k = 0; k < CF_NNAMETYPE; k++) {
    const cfPartList* list = cfi_parts(draft, cfi_nameTypes[k].type);
    int* address = *(int**)(void*)((char*)m + cfi_nameTypes[k].adr_offset);
    for (int i = 0; i < list->count; i++) {
      address[i] = adr;
      adr = appendText(m->names, adr, list->item[i]->name);
    }
  }
  cfi_fillNameMap(m);

  m->paths[0] = 0;
  adr = fillPaths(draft, mjOBJ_HFIELD, m->hfield_pathadr, 0);
  adr = fillPaths(draft, mjOBJ_MESH, m->mesh_pathadr, adr);
  adr = fillPaths(draft, mjOBJ_SKIN, m->skin_pathadr, adr);
  fillPaths(draft, mjOBJ_TEXTURE, m->tex_pathadr, adr);
}


//---------------------------------- signature -----------------------------------------------------

// opening line and contents of a body, children excepted
static void signBody(cfSignature* s, const cfBodyDraft* body) {
  cfi_signBody(s);
  for (int i = 0; i < body->joints.count; i++) {
    cfi_signJoint(s, ((const cfJointDraft*)body->joints.item[i])->attr.type);
  }
  cfi_signParts(s, mjOBJ_GEOM, body->geoms.count);
  cfi_signParts(s, mjOBJ_SITE, body->sites.count);
  cfi_signParts(s, mjOBJ_CAMERA, body->cameras.count);
  cfi_signParts(s, mjOBJ_LIGHT, body->lights.count);
}


// all bodies, depth first: close those that end before the next one starts
static void signBodies(cfSignature* s, const cfDraft* draft) {
  const cfBodyDraft* open = NULL;
  for (int i = 0; i < draft->list[mjOBJ_BODY].count; i++) {
    const cfBodyDraft* body = cfi_bodyAt(draft, i);
    for (; open != body->parent; open = open->parent) {
      cfi_signBodyEnd(s);
    }
    signBody(s, body);
    open = body;
  }
  for (; open; open = open->parent) {
    cfi_signBodyEnd(s);
  }
}


uint64_t cfi_signature(const cfDraft* draft) {
  cfSignature s = cfi_newSignature();
  const cfPartList* sensors = &draft->list[mjOBJ_SENSOR];
  signBodies(&s, draft);
  for (int k = 0; k < CF_SIGNED_TYPES; k++) {
    for (int i = 0; k == CF_SIGNED_TYPES - 1 && i < sensors->count; i++) {
      cfi_signSensor(&s, ((const cfSensorDraft*)sensors->item[i])->attr.type);
    }
    cfi_signList(&s, cfi_signedTypes[k], draft->list[cfi_signedTypes[k]].count);
  }
  return cfi_signatureValue(&s);
}
