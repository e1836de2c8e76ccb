// Life of a specification: make, copy, delete.
#include "spec/spec.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "spec/keys.h"
#include "spec/resolve.h"
#include "spec/tree.h"

// handles of the public struct lead to the private strings
static void bindSpec(cfSpec* spec) {
  mjSpec* pub = &spec->pub;
  pub->element = &spec->self.head;
  pub->modelname = &spec->modelname;
  pub->comment = &spec->comment;
  pub->modelfiledir = &spec->modelfiledir;
  pub->compiler.meshdir = &spec->meshdir;
  pub->compiler.texturedir = &spec->texturedir;
  spec->scope = (cfScope){&pub->compiler, &spec->modelfiledir, &spec->files};
}

// the strings of a specification itself
static void visitStrings(cfSpec* spec, void (*visit)(cfString*)) {
  cfString* strings[] = {&spec->self.name,      &spec->self.classname, &spec->self.info,
                         &spec->modelname,      &spec->comment,        &spec->modelfiledir,
                         &spec->meshdir,        &spec->texturedir,     &spec->notes,
                         &spec->contact_solver, &spec->contact_values};
  for (size_t i = 0; i < sizeof(strings) / sizeof(strings[0]); i++) {
    visit(strings[i]);
  }
}

// a specification without world and classes
static cfSpec* newSpec(void) {
  cfSpec* spec = (cfSpec*)calloc(1, sizeof(cfSpec));
  if (!spec) {
    mju_error("could not allocate a model specification");
    abort();
  }
  visitStrings(spec, cfi_initString);
  spec->self.head.elemtype = mjOBJ_MODEL;
  spec->self.spec = spec;
  spec->self.scope = &spec->scope;
  spec->refcount = 1;
  spec->tree_stale = true;
  mjs_defaultSpec(&spec->pub);
  bindSpec(spec);
  return spec;
}

mjSpec* mj_makeSpec(void) {
  cfSpec* spec = newSpec();
  cfi_assignString(&spec->modelname, "MuJoCo Model");
  cfi_newDefault(spec, "main", NULL);
  spec->world = cfi_newElement(spec, mjOBJ_BODY);
  cfi_assignString(&spec->world->classname, "main");
  cfi_setElementName(spec->world, "world");
  ((mjsBody*)spec->world->attr)->mass = 0;
  return &spec->pub;
}

//---------------------------------- delete --------------------------------------------------------

static void freeElements(cfList* list) {
  for (int i = 0; i < list->count; i++) {
    cfi_freeElement(list->item[i]);
  }
  cfi_freeList(list);
}

// specifications that are reached from one by what they keep, itself first; every one with the
// number of times that others of them keep it
static void reachSpecs(cfSpec* first) {
  cfSpec* last = first;
  first->reached = NULL;
  first->is_reached = true;
  first->nkept_inside = 0;
  for (cfSpec* spec = first; spec; spec = spec->reached) {
    for (const cfSpecNode* node = spec->children; node; node = node->next) {
      cfSpec* child = node->spec;
      if (!child->is_reached) {
        last = last->reached = child;
        child->reached = NULL;
        child->is_reached = true;
        child->nkept_inside = 0;
      }
      child->nkept_inside++;
    }
  }
}

// of those the ones that somebody else has, and what they keep
static void flagNeeded(cfSpec* first) {
  for (cfSpec* spec = first; spec; spec = spec->reached) {
    spec->is_needed = spec->refcount > spec->nkept_inside;
  }
  for (bool has_more = true; has_more;) {
    has_more = false;
    for (const cfSpec* spec = first; spec; spec = spec->reached) {
      for (const cfSpecNode* node = spec->children; spec->is_needed && node; node = node->next) {
        has_more = has_more || !node->spec->is_needed;
        node->spec->is_needed = true;
      }
    }
  }
}

// elements; those that came from another specification by reference are parked there
static void freeContents(cfSpec* spec) {
  cfi_freeList(&spec->index[0]);
  spec->tree_stale = true;
  cfi_refreshTree(spec);
  for (int i = 0; i < CF_LISTS; i++) {
    freeElements(&spec->list[i]);
  }
  for (int i = 0; i < spec->defaults.count; i++) {
    cfi_freeDefault(spec->defaults.item[i]);
  }
  cfi_freeList(&spec->defaults);
}

static void freeChildren(cfSpec* spec) {
  while (spec->children) {
    cfSpecNode* node = spec->children;
    spec->children = node->next;
    node->spec->refcount--;
    free(node);
  }
}

static void freeSettings(cfSpec* spec) {
  cfi_freeMember(&spec->files, CF_MEMBER_STRINGVEC);
  cfi_freeMember(&spec->plugins, CF_MEMBER_INTVEC);
  cfi_freeMember(&spec->kept_qpos, CF_MEMBER_DOUBLEVEC);
  cfi_freePendingKeys(spec);
  visitStrings(spec, cfi_freeString);
}

// free those that nobody needs, also where they keep each other: first what points from one into
// another, themselves at last
static void freeUnneeded(cfSpec* first) {
  for (cfSpec* spec = first; spec; spec = spec->reached) {
    if (!spec->is_needed) {
      freeContents(spec);
    }
  }
  for (cfSpec* spec = first; spec; spec = spec->reached) {
    if (!spec->is_needed) {
      cfi_freeParked(spec);
      freeSettings(spec);
      freeChildren(spec);
    }
  }
  for (cfSpec *spec = first, *next; spec; spec = next) {
    next = spec->reached;
    spec->is_reached = false;
    if (!spec->is_needed) {
      free(spec);
    }
  }
}

void mj_deleteSpec(mjSpec* s) {
  cfSpec* spec = s ? cfi_spec(s) : NULL;
  if (!spec || (--spec->refcount > 0 && !spec->children)) {
    return;
  }
  reachSpecs(spec);
  flagNeeded(spec);
  freeUnneeded(spec);
}

//---------------------------------- copy ----------------------------------------------------------

static void copySettings(cfSpec* to, const cfSpec* from) {
  to->pub = from->pub;
  bindSpec(to);
  cfi_copyMember(&to->modelname, &from->modelname, CF_MEMBER_STRING);
  cfi_copyMember(&to->comment, &from->comment, CF_MEMBER_STRING);
  cfi_copyMember(&to->modelfiledir, &from->modelfiledir, CF_MEMBER_STRING);
  cfi_copyMember(&to->meshdir, &from->meshdir, CF_MEMBER_STRING);
  cfi_copyMember(&to->texturedir, &from->texturedir, CF_MEMBER_STRING);
  cfi_copyMember(&to->contact_solver, &from->contact_solver, CF_MEMBER_STRING);
  cfi_copyMember(&to->contact_values, &from->contact_values, CF_MEMBER_STRING);
  cfi_copyMember(&to->files, &from->files, CF_MEMBER_STRINGVEC);
  cfi_copyMember(&to->plugins, &from->plugins, CF_MEMBER_INTVEC);
  to->deepcopy = from->deepcopy;
}

// classes in the order of creation: a parent always stands before its children
static void copyDefaults(cfSpec* to, const cfSpec* from) {
  for (int i = 0; i < from->defaults.count; i++) {
    const cfElement* def = from->defaults.item[i];
    cfElement* parent = def->part.def.parent;
    cfElement* twin = cfi_newDefault(to, cfi_text(&def->name),
                                     parent ? cfi_findDefault(to, cfi_text(&parent->name)) : NULL);
    CF_ASSERT(twin);
    for (int k = 0; k < CF_DEFAULT_KINDS; k++) {
      cfi_copyAttributes(twin->part.def.proto[k], def->part.def.proto[k]);
    }
  }
}

// share the specifications whose settings attached elements refer to
static void shareChildren(cfSpec* to, const cfSpec* from) {
  for (const cfSpecNode* node = from->children; node; node = node->next) {
    cfi_keepSpec(to, node->spec);
  }
}

// what refers to something that is not there is left out, as in MuJoCo
static void copyList(const cfCopy* copy, mjtObj type) {
  for (int i = 0; i < copy->from->list[type].count; i++) {
    cfElement* twin = cfi_copyRenamed(copy, copy->from->list[type].item[i]);
    if (cfi_resolveReferences(twin, "", "")) {
      cfi_addToSpec(copy->to, twin);
    } else {
      cfi_freeElement(twin);
    }
  }
}

// a copy of a specification that was compiled counts as compiled
static void copyCompiled(cfSpec* to, const cfSpec* from) {
  to->is_compiled = from->is_compiled;
  to->has_unlisted = from->has_unlisted;
  to->is_fused = from->is_fused;
  to->computed = from->computed;
  to->kept = from->kept;
  to->self.head.signature = from->self.head.signature;
  to->kept_edit = from->kept_edit + to->nedit - from->nedit;
  memcpy(to->compiled_size, from->compiled_size, sizeof(to->compiled_size));
  cfi_copyMember(&to->kept_qpos, &from->kept_qpos, CF_MEMBER_DOUBLEVEC);
}

// plugin instances come first, for other elements own them; what is referred to comes before what
// refers to it
mjSpec* mj_copySpec(const mjSpec* s) {
  static const mjtObj kinds[] = {mjOBJ_MESH,     mjOBJ_SKIN,    mjOBJ_HFIELD, mjOBJ_TEXTURE,
                                 mjOBJ_MATERIAL, mjOBJ_NUMERIC, mjOBJ_TEXT,   mjOBJ_FLEX,
                                 mjOBJ_PAIR,     mjOBJ_EXCLUDE, mjOBJ_TENDON, mjOBJ_EQUALITY,
                                 mjOBJ_ACTUATOR, mjOBJ_SENSOR,  mjOBJ_TUPLE,  mjOBJ_KEY};
  cfSpec* from = cfi_spec(s);
  cfSpec* to = newSpec();
  copySettings(to, from);
  copyDefaults(to, from);
  shareChildren(to, from);
  cfi_copyPendingKeys(to, from);
  const cfCopy copy = {.to = to, .from = from};
  copyList(&copy, mjOBJ_PLUGIN);
  to->world = cfi_copyBody(&copy, from->world, NULL);
  for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
    copyList(&copy, kinds[i]);
  }
  copyCompiled(to, from);
  return &to->pub;
}

void cfi_keepSpec(cfSpec* spec, cfSpec* child) {
  cfSpecNode** end = &spec->children;
  for (; *end; end = &(*end)->next) {
    if ((*end)->spec == child) {
      return;
    }
  }
  cfSpecNode* node = (cfSpecNode*)calloc(1, sizeof(cfSpecNode));
  if (!node) {
    mju_error("could not allocate a model specification");
    abort();
  }
  node->spec = child;
  child->refcount++;
  *end = node;
}

int mjs_setDeepCopy(mjSpec* s, int deepcopy) {
  cfi_spec(s)->deepcopy = deepcopy != 0;
  return 0;
}
