// Names and paths into mjModel, and the signature of its structure.
#include "compile/phases.h"

#include <string.h>

#include "model/names.h"

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

// hash of a text that is never written down (D. J. Bernstein, xor variant)
static void hashText(uint64_t* hash, const char* text) {
  for (; *text; text++) {
    *hash = ((*hash << 5) + *hash) ^ (uint64_t)(int64_t)*text;
  }
}


// one line of the text, indented by depth, no further than 1024 columns
static void hashLine(uint64_t* hash, int depth, const char* text) {
  for (int k = 0; k < 2 * depth && k < 1024; k++) {
    hashText(hash, " ");
  }
  hashText(hash, text);
}


// opening tag and contents of a body, children excepted
static void hashBody(uint64_t* hash, const cfBodyDraft* body, int depth) {
  hashLine(hash, depth, "<body>\n");
  for (int i = 0; i < body->joints.count; i++) {
    int coordinates = cfi_jointCoordinates(((const cfJointDraft*)body->joints.item[i])->attr.type);
    char line[] = "<joint>0</joint>\n";
    line[7] = (char)('0' + coordinates);
    hashLine(hash, depth + 1, line);
  }
  const struct {
    int count;
    const char* line;
  } rest[] = {{body->geoms.count, "<geom/>\n"},
              {body->sites.count, "<site/>\n"},
              {body->cameras.count, "<camera/>\n"},
              {body->lights.count, "<light/>\n"}};
  for (int k = 0; k < 4; k++) {
    for (int i = 0; i < rest[k].count; i++) {
      hashLine(hash, depth + 1, rest[k].line);
    }
  }
}


// all bodies, depth first: close those that end before the next one starts
static void hashTree(uint64_t* hash, const cfDraft* draft) {
  const cfPartList* bodies = &draft->list[mjOBJ_BODY];
  const cfBodyDraft* open = NULL;
  int depth = -1;
  for (int i = 0; i < bodies->count; i++) {
    const cfBodyDraft* body = cfi_bodyAt(draft, i);
    for (; open != body->parent; open = open->parent) {
      hashLine(hash, depth--, "</body>\n");
    }
    hashBody(hash, body, ++depth);
    open = body;
  }
  for (; open; open = open->parent) {
    hashLine(hash, depth--, "</body>\n");
  }
}


static void hashDecimal(uint64_t* hash, int number) {
  char digits[12];
  int n = 0;
  do {
    digits[n++] = (char)('0' + number % 10);
    number /= 10;
  } while (number);
  while (n) {
    const char one[2] = {digits[--n], 0};
    hashText(hash, one);
  }
}


uint64_t cfi_signature(const cfDraft* draft) {
  uint64_t hash = 5381;
  hashText(&hash, "\n");
  hashTree(&hash, draft);
  const struct {
    mjtObj type;
    int skip;
    const char* line;
  } lists[] = {
      {mjOBJ_FLEX, 0, "<flex/>\n"},         {mjOBJ_MESH, 0, "<mesh/>\n"},
      {mjOBJ_SKIN, 0, "<skin/>\n"},         {mjOBJ_HFIELD, 0, "<heightfield/>\n"},
      {mjOBJ_TEXTURE, 0, "<texture/>\n"},   {mjOBJ_MATERIAL, 0, "<material/>\n"},
      {mjOBJ_PAIR, 0, "<pair/>\n"},         {mjOBJ_EXCLUDE, 0, "<exclude/>\n"},
      {mjOBJ_EQUALITY, 1, "<equality/>\n"}, {mjOBJ_TENDON, 0, "<tendon/>\n"},
      {mjOBJ_ACTUATOR, 0, "<actuator/>\n"},
  };
  for (size_t k = 0; k < sizeof(lists) / sizeof(lists[0]); k++) {
    for (int i = lists[k].skip; i < draft->list[lists[k].type].count; i++) {
      hashText(&hash, lists[k].line);
    }
  }
  const cfPartList* sensors = &draft->list[mjOBJ_SENSOR];
  for (int i = 0; i < sensors->count; i++) {
    hashText(&hash, "<sensor>");
    hashDecimal(&hash, ((const cfSensorDraft*)sensors->item[i])->attr.type);
    hashText(&hash, "<sensor/>\n");
  }
  for (int i = 0; i < draft->list[mjOBJ_KEY].count; i++) {
    hashText(&hash, "<key/>\n");
  }
  return hash % UINT64_MAX;
}
