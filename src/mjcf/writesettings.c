// Options of the whole model: compiler, option, size, visual, statistic; default classes;
// extensions.
#include "mjcf/writer.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/assert.h"

//---------------------------------- compiler, option ----------------------------------------------

static void writeLengthRange(cfWriter* w, const mjLROpt* options, const mjLROpt* base) {
  if (memcmp(options, base, sizeof(*options)) != 0) {
    cfi_openTag(&w->out, "lengthrange");
    cfi_writeFields(w, TAG_COMPILER_LENGTHRANGE, options, base);
    cfi_closeTag(&w->out, "lengthrange");
  }
}

// three letters without an end
void cfi_writeEulerSequence(cfWriter* w, const cfRow* row, const void* target, const void* base) {
  const char* letters = (const char*)target + row->offset;
  const char text[4] = {letters[0], letters[1], letters[2], 0};
  if (!base || memcmp(letters, (const char*)base + row->offset, row->size) != 0) {
    cfi_writeText(&w->out, row->name, text);
  }
}

static void writeCompiler(cfWriter* w, const mjSpec* base) {
  const mjSpec* s = &w->spec->pub;
  const mjsCompiler* compiler = &s->compiler;
  const cfOutputMark before = cfi_markOutput(&w->out);
  cfi_openTag(&w->out, "compiler");
  const cfOutputMark start = cfi_markOutput(&w->out);
  cfi_writeFields(w, TAG_COMPILER, s, base);
  if (!cfi_isEmptyString(compiler->meshdir)) {
    cfi_writeText(&w->out, "meshdir", cfi_text(compiler->meshdir));
  }
  if (!cfi_isEmptyString(compiler->texturedir)) {
    cfi_writeText(&w->out, "texturedir", cfi_text(compiler->texturedir));
  }
  writeLengthRange(w, &compiler->LRopt, &base->compiler.LRopt);
  cfi_closeUnlessEmpty(&w->out, "compiler", before, start);
}

static void writeFlags(cfWriter* w, const mjOption* option) {
  int count;
  const cfRow* row = cfi_rows(FIELDS_FLAG, &count);
  if (!option->disableflags && !option->enableflags) {
    return;
  }
  cfi_openTag(&w->out, "flag");
  for (int i = 0; i < count; i++) {
    const bool is_on = row[i].how == HOW_ON;
    if ((is_on ? option->enableflags : option->disableflags) & row[i].value) {
      cfi_writeText(&w->out, row[i].name, cfi_valueWord(WORDS_ENABLE, is_on));
    }
  }
  cfi_closeTag(&w->out, "flag");
}

// groups as numbers, each a bit of the field
void cfi_writeDisabledGroups(cfWriter* w, const cfRow* row, const void* target, const void* base) {
  int group[31], count = 0, bits = ((const mjOption*)target)->disableactuator;
  (void)base;
  for (int i = 0; i < 31; i++) {
    if (bits & (1 << i)) {
      group[count++] = i;
    }
  }
  if (count) {
    cfi_writeInts(&w->out, row->name, group, count);
  }
}

static void writeOption(cfWriter* w, const mjOption* base) {
  const mjOption* option = &w->spec->pub.option;
  const cfOutputMark before = cfi_markOutput(&w->out);
  cfi_openTag(&w->out, "option");
  const cfOutputMark start = cfi_markOutput(&w->out);
  cfi_writeFields(w, TAG_OPTION, option, base);
  cfi_writeContactSolver(w);
  writeFlags(w, option);
  cfi_closeUnlessEmpty(&w->out, "option", before, start);
}

//---------------------------------- size, visual, statistic ---------------------------------------

// bytes with the largest unit that leaves a whole number
static void writeMemory(cfWriter* w, mjtSize bytes) {
  static const char units[] = "KMGTPE";
  char text[32];
  int unit = 0;
  for (; bytes && bytes % 1024 == 0 && units[unit]; unit++) {
    bytes /= 1024;
  }
  snprintf(text, sizeof(text), "%lld%.*s", (long long)bytes, unit ? 1 : 0,
           units + (unit ? unit - 1 : 0));
  cfi_writeText(&w->out, "memory", text);
}

static void writeSize(cfWriter* w, const mjSpec* base) {
  const mjSpec* s = &w->spec->pub;
  const cfOutputMark before = cfi_markOutput(&w->out);
  cfi_openTag(&w->out, "size");
  const cfOutputMark start = cfi_markOutput(&w->out);
  if (s->memory != -1) {
    writeMemory(w, s->memory);
  }
  const int njmax = s->njmax, nstack = (int)s->nstack;
  if (njmax != -1) {
    cfi_writeInts(&w->out, "njmax", &njmax, 1);
  }
  if (nstack != -1) {
    cfi_writeInts(&w->out, "nstack", &nstack, 1);
  }
  cfi_writeFields(w, TAG_SIZE, s, base);
  cfi_closeUnlessEmpty(&w->out, "size", before, start);
}

static void writeVisual(cfWriter* w, const mjVisual* base) {
  const mjVisual* visual = &w->spec->pub.visual;
  const cfOutputMark before = cfi_markOutput(&w->out);
  cfi_openTag(&w->out, "visual");
  const cfOutputMark start = cfi_markOutput(&w->out);
  for (int id = 0; id < TAG_COUNT; id++) {
    if (cfi_tags[id].parent == TAG_VISUAL) {
      const cfOutputMark child = cfi_markOutput(&w->out);
      cfi_openTag(&w->out, cfi_tags[id].tag);
      const cfOutputMark inside = cfi_markOutput(&w->out);
      cfi_writeFields(w, (cftTag)id, visual, base);
      cfi_closeUnlessEmpty(&w->out, cfi_tags[id].tag, child, inside);
    }
  }
  cfi_closeUnlessEmpty(&w->out, "visual", before, start);
}

void cfi_writeSettings(cfWriter* w) {
  mjSpec base;
  mjs_defaultSpec(&base);
  writeCompiler(w, &base);
  writeOption(w, &base.option);
  writeSize(w, &base);
  writeVisual(w, &base.visual);
  const cfOutputMark before = cfi_markOutput(&w->out);
  cfi_openTag(&w->out, "statistic");
  const cfOutputMark start = cfi_markOutput(&w->out);
  cfi_writeFields(w, TAG_STATISTIC, &w->spec->pub.stat, NULL);
  cfi_closeUnlessEmpty(&w->out, "statistic", before, start);
}

//---------------------------------- default classes -----------------------------------------------

// an element of a class: only where some attribute differs from the class above
static void writeDefaultElement(cfWriter* w, cftTag tag, const cfElement* e,
                                const cfElement* base) {
  const cfOutputMark before = cfi_markOutput(&w->out);
  const char* name = cfi_tags[tag].tag;
  if (tag == TAG_DEFAULT_GENERAL) {
    const char* kind = cfi_actuatorTag(e);
    name = strcmp(kind, "plugin") == 0 ? "general" : kind;
    tag = cfi_findTag(TAG_DEFAULT, name);
  }
  cfi_openTag(&w->out, name);
  const cfOutputMark start = cfi_markOutput(&w->out);
  switch ((int)tag) {
    case TAG_DEFAULT_MATERIAL:
      cfi_writeMaterial(w, tag, e, base);
      break;
    case TAG_DEFAULT_CAMERA:
      cfi_writeCamera(w, tag, e, base);
      break;
    case TAG_DEFAULT_TENDON:
      cfi_writeTendon(w, tag, e, base);
      break;
    default:
      if (e->head.elemtype == mjOBJ_ACTUATOR) {
        cfi_writeActuator(w, tag, e, base);
      } else {
        cfi_writeFields(w, tag, e->attr, base->attr);
      }
      if (e->head.elemtype == mjOBJ_GEOM || e->head.elemtype == mjOBJ_PAIR) {
        cfi_writeContactValues(w, e, base);
      }
      break;
  }
  cfi_closeUnlessEmpty(&w->out, name, before, start);
}

// `start` is set behind the opening tag, unless NULL
static void writeClassOpening(cfWriter* w, const cfElement* def, const cfElement* base,
                              cfOutputMark* start) {
  static const cftTag tags[] = {TAG_DEFAULT_MESH,   TAG_DEFAULT_MATERIAL, TAG_DEFAULT_JOINT,
                                TAG_DEFAULT_GEOM,   TAG_DEFAULT_SITE,     TAG_DEFAULT_CAMERA,
                                TAG_DEFAULT_LIGHT,  TAG_DEFAULT_PAIR,     TAG_DEFAULT_EQUALITY,
                                TAG_DEFAULT_TENDON, TAG_DEFAULT_GENERAL};
  static const mjtObj types[] = {mjOBJ_MESH,     mjOBJ_MATERIAL, mjOBJ_JOINT,   mjOBJ_GEOM,
                                 mjOBJ_SITE,     mjOBJ_CAMERA,   mjOBJ_LIGHT,   mjOBJ_PAIR,
                                 mjOBJ_EQUALITY, mjOBJ_TENDON,   mjOBJ_ACTUATOR};
  cfi_openTag(&w->out, "default");
  if (def->part.def.parent || strcmp(cfi_text(&def->name), "main") != 0) {
    cfi_writeText(&w->out, "class", cfi_text(&def->name));
  } else if (start) {
    *start = cfi_markOutput(&w->out);
  }
  for (size_t i = 0; i < sizeof(tags) / sizeof(tags[0]); i++) {
    const bool is_root = !def->part.def.parent;
    writeDefaultElement(
        w, tags[i], cfi_classElement(w, def, types[i]),
        is_root ? cfi_defaultElement(base, types[i]) : cfi_classElement(w, base, types[i]));
  }
}

// class tree with an explicit stack; the root is compared with a pristine specification
void cfi_writeDefaults(cfWriter* w) {
  mjSpec* pristine = mj_makeSpec();
  cfList stack = {NULL, 0, 0};
  const cfOutputMark before = cfi_markOutput(&w->out);
  cfOutputMark start = before;
  cfi_pushElement(&stack, w->spec->defaults.item[0]);
  while (stack.count) {
    cfElement* def = stack.item[--stack.count];
    if (!def && stack.count == 0) {
      cfi_closeUnlessEmpty(&w->out, "default", before, start);
      continue;
    }
    if (!def) {
      cfi_closeTag(&w->out, "default");
      continue;
    }
    const cfElement* above = def->part.def.parent;
    writeClassOpening(w, def, above ? above : cfi_spec(pristine)->defaults.item[0],
                      above ? NULL : &start);
    cfi_pushElement(&stack, NULL);
    for (int i = def->part.def.child.count - 1; i >= 0; i--) {
      cfi_pushElement(&stack, def->part.def.child.item[i]);
    }
  }
  cfi_freeList(&stack);
  mj_deleteSpec(pristine);
}

//---------------------------------- extension -----------------------------------------------------

void cfi_writeExtension(cfWriter* w) {
  const int count = cfi_countInts(&w->spec->plugins);
  const cfList* instances = cfi_list(w->spec, mjOBJ_PLUGIN);
  if (!count) {
    return;
  }
  cfi_openTag(&w->out, "extension");
  for (int i = 0; i < count; i++) {
    const mjpPlugin* plugin = mjp_getPluginAtSlot(cfi_ints(&w->spec->plugins)[i]);
    if (!plugin) {
      continue;
    }
    cfi_openTag(&w->out, "plugin");
    cfi_writeText(&w->out, "plugin", plugin->name);
    for (int k = 0; k < instances->count; k++) {
      const cfElement* instance = instances->item[k];
      const char* name = cfi_text(((mjsPlugin*)instance->attr)->plugin_name);
      if (cfi_length(&instance->name) && strcmp(name, plugin->name) == 0) {
        cfi_openTag(&w->out, "instance");
        cfi_writeName(w, instance);
        cfi_writePluginConfig(w, instance, name);
        cfi_closeTag(&w->out, "instance");
      }
    }
    cfi_closeTag(&w->out, "plugin");
  }
  cfi_closeTag(&w->out, "extension");
}
