// Bodies and what hangs on them: an explicit stack instead of recursion.
#include "mjcf/reader.h"

#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "spec/repeat.h"

// a body, frame or replicate whose children are being read
typedef struct {
  const cfNode* next;  // next child to read
  const cfNode* node;
  mjsBody* body;
  mjsFrame* frame;  // innermost frame around the children, NULL if there is none
  mjsBody* host;    // replicate: body that receives the copies, else NULL
} cfLevel;

typedef struct {
  cfLevel level[CF_XML_MAX_DEPTH + 2];
  int depth;
} cfOpenNodes;

static bool isWorld(const mjsBody* body) {
  return cfi_element(body->element)->body == NULL;
}

static void push(cfOpenNodes* stack, const cfNode* node, mjsBody* body, mjsFrame* frame,
                 mjsBody* host) {
  CF_ASSERT(stack->depth < CF_XML_MAX_DEPTH + 2);
  stack->level[stack->depth++] = (cfLevel){node->first, node, body, frame, host};
}

//---------------------------------- classes -------------------------------------------------------

// class for an element: its own, else that of the frame or body around it
static const mjsDefault* classOfNode(cfReader* r, const cfNode* node, const cfLevel* at) {
  const mjsDefault* def = cfi_readClass(r, node);
  return def ? def : mjs_getDefault(at->frame ? at->frame->element : at->body->element);
}

//---------------------------------- nested elements -----------------------------------------------

static void openBody(cfReader* r, const cfNode* node, cfOpenNodes* stack) {
  const cfLevel* at = &stack->level[stack->depth - 1];
  const mjsDefault* def = classOfNode(r, node, at);
  const mjsDefault* childdef = cfi_readChildClass(r, node);
  mjsBody* body = mjs_addBody(at->body, childdef);
  mjs_setDefault(body->element, childdef ? childdef : def);
  cfi_readName(r, node, body->element);
  cfi_readFields(r, node, body);
  mjs_setFrame(body->element, at->frame);
  push(stack, node, body, NULL, NULL);
}

static void openFrame(cfReader* r, const cfNode* node, cfOpenNodes* stack) {
  const cfLevel* at = &stack->level[stack->depth - 1];
  const mjsDefault* def = classOfNode(r, node, at);
  const mjsDefault* childdef = cfi_readChildClass(r, node);
  mjsFrame* frame = mjs_addFrame(at->body, at->frame);
  mjs_setDefault(frame->element, childdef ? childdef : def);
  cfi_readName(r, node, frame->element);
  cfi_readFields(r, node, frame);
  push(stack, node, at->body, frame, NULL);
}

// the contents are read into a body of their own and copied when it is complete
static void openReplicate(cfReader* r, const cfNode* node, cfOpenNodes* stack) {
  if (!cfi_checkCopies(r, node)) {
    return;
  }
  const cfLevel* at = &stack->level[stack->depth - 1];
  const mjsDefault* def = classOfNode(r, node, at);
  const mjsDefault* childdef = cfi_readChildClass(r, node);
  cfi_requireNumbers(r, node, "count");
  mjsBody* subtree = mjs_addBody(at->body, childdef);
  mjsFrame* frame = mjs_addFrame(subtree, at->frame);
  mjs_setDefault(frame->element, childdef ? childdef : def);
  cfi_setOrigin(r, node, frame->element);
  push(stack, node, subtree, frame, at->body);
}

// number of copy i among count, with leading zeros
static void copySuffix(char* text, size_t size, const char* separator, int count, int i) {
  char widest[16];
  const int width = snprintf(widest, sizeof(widest), "%d", count);
  snprintf(text, size, "%s%0*d", separator, width, i);
}

// step from one copy to the next
static void stepToCopy(double pos[3], const double quat[4], const double offset[3]) {
  double mat[9], step[3];
  mju_quat2Mat(mat, quat);
  mju_mulMatVec3(step, mat, offset);
  mju_addTo3(pos, step);
}

static void closeReplicate(cfReader* r, const cfLevel* level) {
  const cfNode* node = level->node;
  const mjsCompiler* compiler = &r->spec->compiler;
  double pos[3] = {0, 0, 0}, offset[3] = {0, 0, 0}, euler[3] = {0, 0, 0};
  int count = 0;
  const char* separator = cfi_attribute(node, "sep");
  cfi_readInt(r, node, "count", &count);
  cfi_readNumbers(r, node, "offset", offset, 3, true);
  cfi_readNumbers(r, node, "euler", euler, 3, true);
  cfi_beginCopies(cfi_spec(r->spec), cfi_element(level->body->element), separator ? separator : "",
                  snprintf(NULL, 0, "%d", count));
  for (int i = 0; i < count && r->report->nerror == 0; i++) {
    // angles are multiplied, not added up
    mjsOrientation alt = {.type = mjORIENTATION_EULER,
                          .euler = {i * euler[0], i * euler[1], i * euler[2]}};
    double quat[4] = {1, 0, 0, 0};
    char suffix[200];
    mjs_resolveOrientation(quat, compiler->degree, compiler->eulerseq, &alt);
    memcpy(level->frame->pos, pos, sizeof(pos));
    memcpy(level->frame->quat, quat, sizeof(quat));
    stepToCopy(pos, quat, offset);
    copySuffix(suffix, sizeof(suffix), separator ? separator : "", count, i);
    if (!mjs_attach(level->host->element, level->frame->element, "", suffix)) {
      cfi_error(r->report, node, "%s", mjs_getError(r->spec));
    }
  }
  cfi_endCopies(cfi_spec(r->spec));
  if (mjs_delete(r->spec, level->body->element) && r->report->nerror == 0) {
    cfi_error(r->report, node, "%s", mjs_getError(r->spec));
  }
}

//---------------------------------- leaves --------------------------------------------------------

static void readInertial(cfReader* r, const cfNode* node, const cfLevel* at) {
  mjsBody* body = at->body;
  if (isWorld(body)) {
    cfi_error(r->report, node, "World body cannot have inertia");
    return;
  }
  body->explicitinertial = 1;
  cfi_requireNumbers(r, node, "pos");
  cfi_requireNumbers(r, node, "mass");
  cfi_readFields(r, node, body);

  // an attribute without a number is as if it were not there
  const bool has_orientation = cfi_attribute(node, "quat") || body->ialt.type != mjORIENTATION_QUAT;
  if (has_orientation && cfi_attribute(node, "fullinertia")) {
    cfi_error(r->report, node, "fullinertia and inertial orientation cannot both be specified");
  }
}

// free joints take nothing from classes, but remember the one they stand in
static void readFreeJoint(cfReader* r, const cfNode* node, const cfLevel* at) {
  mjsJoint* joint = mjs_addFreeJoint(at->body);
  mjs_setFrame(joint->element, at->frame);
  mjs_setDefault(joint->element, classOfNode(r, node, at));
  cfi_readName(r, node, joint->element);
  cfi_readFields(r, node, joint);
}

static void readAttach(cfReader* r, const cfNode* node, const cfLevel* at) {
  const char* model = cfi_readText(r, node, "model", true);
  const char* prefix = cfi_readText(r, node, "prefix", true);
  const char* body = cfi_attribute(node, "body");
  if (!model || !prefix) {
    return;
  }
  cfString name;
  cfi_initString(&name);
  cfi_assignString(&name, body ? body : "");
  cfi_prefixSuffix(&name, prefix, "");
  mjsBody* present = mjs_asBody(mjs_findElement(r->spec, mjOBJ_BODY, cfi_text(&name)));
  cfi_freeString(&name);
  mjsFrame* frame = at->frame ? at->frame : mjs_addFrame(at->body, NULL);
  if (present) {
    if (mjs_setFrame(present->element, frame)) {
      cfi_error(r->report, node, "%s", mjs_getError(r->spec));
    }
    return;
  }

  mjSpec* asset = mjs_findSpec(r->spec, model);
  mjsBody* child = asset && body && *body ? mjs_findBody(asset, body) : NULL;
  if (!asset) {
    cfi_error(r->report, node, "could not find model '%s'", model);
  } else if (body && *body && !child) {
    cfi_error(r->report, node, "could not find body '%s' in model '%s'", body, model);
  } else if (!mjs_attach(frame->element, child ? child->element : asset->element, prefix, "")) {
    cfi_error(r->report, node, "%s", mjs_getError(r->spec));
  }
}

static void readBodyPlugin(cfReader* r, const cfNode* node, const cfLevel* at) {
  cfi_readPlugin(r, node, &at->body->plugin);
}

static void readCompositeHere(cfReader* r, const cfNode* node, const cfLevel* at) {
  cfi_readComposite(r, node, at->body, at->frame);
}

static void readFlexcompHere(cfReader* r, const cfNode* node, const cfLevel* at) {
  cfi_readFlexcomp(r, node, at->body);
}

// children of a body that have no children of their own: elements with a class, and the others
static const struct {
  int tag_id;
  mjtObj type;
  void (*read)(cfReader* r, const cfNode* node, const cfLevel* at);
} leaves[] = {{TAG_BODY_JOINT, mjOBJ_JOINT, NULL},
              {TAG_BODY_GEOM, mjOBJ_GEOM, NULL},
              {TAG_BODY_SITE, mjOBJ_SITE, NULL},
              {TAG_BODY_CAMERA, mjOBJ_CAMERA, NULL},
              {TAG_BODY_LIGHT, mjOBJ_LIGHT, NULL},
              {TAG_BODY_FREEJOINT, mjOBJ_JOINT, readFreeJoint},
              {TAG_BODY_INERTIAL, mjOBJ_UNKNOWN, readInertial},
              {TAG_BODY_PLUGIN, mjOBJ_UNKNOWN, readBodyPlugin},
              {TAG_BODY_COMPOSITE, mjOBJ_UNKNOWN, readCompositeHere},
              {TAG_BODY_FLEXCOMP, mjOBJ_UNKNOWN, readFlexcompHere},
              {TAG_BODY_ATTACH, mjOBJ_UNKNOWN, readAttach}};
enum { NLEAF = sizeof(leaves) / sizeof(leaves[0]) };

static void readLeaf(cfReader* r, const cfNode* node, const cfLevel* at) {
  int k = 0;
  while (k < NLEAF && leaves[k].tag_id != node->tag_id) {
    k++;
  }
  if (k == NLEAF) {
    return;
  }
  if (leaves[k].type == mjOBJ_JOINT && isWorld(at->body)) {
    cfi_error(r->report, node, "World body cannot have joints");
  } else if (leaves[k].read) {
    leaves[k].read(r, node, at);
  } else {
    mjsElement* element = &cfi_addChild(at->body, leaves[k].type, classOfNode(r, node, at))->head;
    cfi_readElement(r, node, element);
    if (at->frame) {
      mjs_setFrame(element, at->frame);
    }
  }
}

//---------------------------------- section -------------------------------------------------------

void cfi_readWorld(cfReader* r, const cfNode* section) {
  cfOpenNodes stack = {.depth = 0};
  if (section->nattribute) {
    cfi_error(r->report, section, "World body cannot have attributes");
  }
  push(&stack, section, (mjsBody*)cfi_spec(r->spec)->world->attr, NULL, NULL);
  while (stack.depth) {
    cfLevel* level = &stack.level[stack.depth - 1];
    const cfNode* node = level->next;
    if (!node) {
      if (level->host) {
        closeReplicate(r, level);
      }
      stack.depth--;
      continue;
    }
    level->next = node->next;
    switch (node->tag_id) {
      case TAG_BODY:
        openBody(r, node, &stack);
        break;
      case TAG_BODY_FRAME:
        openFrame(r, node, &stack);
        break;
      case TAG_BODY_REPLICATE:
        openReplicate(r, node, &stack);
        break;
      default:
        readLeaf(r, node, level);
        break;
    }
  }
}
