// Signature of a model's structure; see signature.h.
#include "spec/signature.h"

#include "base/assert.h"

//---------------------------------- text ----------------------------------------------------------

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

//---------------------------------- lines of elements ---------------------------------------------

static const char* const signed_lines[mjNOBJECT] = {
    [mjOBJ_GEOM] = "<geom/>\n",         [mjOBJ_SITE] = "<site/>\n",
    [mjOBJ_CAMERA] = "<camera/>\n",     [mjOBJ_LIGHT] = "<light/>\n",
    [mjOBJ_FLEX] = "<flex/>\n",         [mjOBJ_MESH] = "<mesh/>\n",
    [mjOBJ_SKIN] = "<skin/>\n",         [mjOBJ_HFIELD] = "<heightfield/>\n",
    [mjOBJ_TEXTURE] = "<texture/>\n",   [mjOBJ_MATERIAL] = "<material/>\n",
    [mjOBJ_PAIR] = "<pair/>\n",         [mjOBJ_EXCLUDE] = "<exclude/>\n",
    [mjOBJ_EQUALITY] = "<equality/>\n", [mjOBJ_TENDON] = "<tendon/>\n",
    [mjOBJ_ACTUATOR] = "<actuator/>\n", [mjOBJ_KEY] = "<key/>\n",
};

const mjtObj cfi_signedTypes[CF_SIGNED_TYPES] = {
    mjOBJ_FLEX, mjOBJ_MESH,    mjOBJ_SKIN,     mjOBJ_HFIELD, mjOBJ_TEXTURE,  mjOBJ_MATERIAL,
    mjOBJ_PAIR, mjOBJ_EXCLUDE, mjOBJ_EQUALITY, mjOBJ_TENDON, mjOBJ_ACTUATOR, mjOBJ_KEY};

cfSignature cfi_newSignature(void) {
  cfSignature s = {5381, -1};
  hashText(&s.hash, "\n");
  return s;
}

void cfi_signBody(cfSignature* s) {
  hashLine(&s->hash, ++s->depth, "<body>\n");
}

void cfi_signBodyEnd(cfSignature* s) {
  CF_ASSERT(s->depth >= 0);
  hashLine(&s->hash, s->depth--, "</body>\n");
}

// with the number of its coordinates; a type that there is not counts as one
void cfi_signJoint(cfSignature* s, mjtJoint type) {
  char line[] = "<joint>1</joint>\n";
  line[7] = type == mjJNT_FREE ? '7' : type == mjJNT_BALL ? '4' : '1';
  hashLine(&s->hash, s->depth + 1, line);
}

void cfi_signParts(cfSignature* s, mjtObj type, int count) {
  CF_ASSERT(signed_lines[type]);
  for (int i = 0; i < count; i++) {
    hashLine(&s->hash, s->depth + 1, signed_lines[type]);
  }
}

// as in MuJoCo, the first equality is not seen
void cfi_signList(cfSignature* s, mjtObj type, int count) {
  CF_ASSERT(signed_lines[type]);
  for (int i = type == mjOBJ_EQUALITY; i < count; i++) {
    hashText(&s->hash, signed_lines[type]);
  }
}

void cfi_signSensor(cfSignature* s, mjtSensor type) {
  hashText(&s->hash, "<sensor>");
  hashDecimal(&s->hash, (int)type);
  hashText(&s->hash, "<sensor/>\n");
}

uint64_t cfi_signatureValue(const cfSignature* s) {
  return s->hash % UINT64_MAX;
}

//---------------------------------- of a specification --------------------------------------------

// opening line and contents of a body, children excepted
static void signContents(cfSignature* s, const cfElement* body) {
  static const mjtObj parts[] = {mjOBJ_GEOM, mjOBJ_SITE, mjOBJ_CAMERA, mjOBJ_LIGHT};
  const cfList* child = body->part.body.child;
  const cfList* joints = &child[cfi_treeSlot(mjOBJ_JOINT)];
  cfi_signBody(s);
  for (int i = 0; i < joints->count; i++) {
    cfi_signJoint(s, ((const mjsJoint*)joints->item[i]->attr)->type);
  }
  for (int k = 0; k < 4; k++) {
    cfi_signParts(s, parts[k], child[cfi_treeSlot(parts[k])].count);
  }
}

// all bodies, depth first: those that end before the next one starts are closed
static void signTree(cfSignature* s, const cfList* bodies) {
  const cfElement* open = NULL;
  for (int i = 0; i < bodies->count; i++) {
    const cfElement* body = bodies->item[i];
    for (; open != body->body; open = open->body) {
      cfi_signBodyEnd(s);
    }
    signContents(s, body);
    open = body;
  }
  for (; open; open = open->body) {
    cfi_signBodyEnd(s);
  }
}

void cfi_settleSignature(cfSpec* spec) {
  if (!spec->is_compiled) {
    return;
  }
  cfSignature s = cfi_newSignature();
  const cfList* sensors = cfi_list(spec, mjOBJ_SENSOR);
  signTree(&s, cfi_list(spec, mjOBJ_BODY));
  for (int k = 0; k < CF_SIGNED_TYPES; k++) {
    for (int i = 0; k == CF_SIGNED_TYPES - 1 && i < sensors->count; i++) {
      cfi_signSensor(&s, ((const mjsSensor*)sensors->item[i]->attr)->type);
    }
    cfi_signList(&s, cfi_signedTypes[k], cfi_list(spec, cfi_signedTypes[k])->count);
  }
  spec->self.head.signature = cfi_signatureValue(&s);
}
