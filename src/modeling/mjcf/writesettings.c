// Options of the whole model: compiler, option, size, visual, statistic; default classes;
// extensions.
#include "mjcf/writer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"

//---------------------------------- compiler, option ----------------------------------------------

// whatever the file was written in, angles are saved in radians
void cfi_saveAngle(cfWriter* w, const cfRow* row, const void* target, const void* base) {
  (void)target, (void)base;
  cfi_writeText(&w->out, row->name, cfi_valueWord(row->words, 0));
}

// folder of assets with a slash at its end
void cfi_saveFolder(cfWriter* w, const cfRow* row, const void* target, const void* base) {
  const char* folder =
      cfi_text(*(cfString* const*)(const void*)((const char*)target + row->offset));
  const size_t length = strlen(folder);
  (void)base;
  if (length) {
    cfString text;
    cfi_initString(&text);
    cfi_assignString(&text, folder);
    cfi_appendText(&text, folder[length - 1] == '/' || folder[length - 1] == '\\' ? "" : "/");
    cfi_writeText(&w->out, row->name, cfi_text(&text));
    cfi_freeString(&text);
  }
}

static void writeCompiler(cfWriter* w, const mjSpec* base) {
  cfi_openTag(&w->out, "compiler");
  cfi_writeFields(w, TAG_COMPILER, &w->spec->kept, base);
  cfi_closeTag(&w->out, "compiler");
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

// an integrator that the attribute of MuJoCo has no word for
static void writeOwnIntegrator(cfWriter* w, const mjOption* option) {
  cfi_writeWord(w, "cortenforge:integrator",
                cfi_valueWord(WORDS_INTEGRATOR_OF_OURS, option->integrator));
}

static void writeOption(cfWriter* w, const mjOption* base) {
  const mjOption* option = &w->spec->kept.option;
  const cfOutputMark before = cfi_markOutput(&w->out);
  cfi_openTag(&w->out, "option");
  const cfOutputMark start = cfi_markOutput(&w->out);
  cfi_writeFields(w, TAG_OPTION, option, base);
  writeOwnIntegrator(w, option);
  cfi_writeContactSolver(w);
  writeFlags(w, option);
  cfi_closeUnlessEmpty(&w->out, "option", before, start);
}

//---------------------------------- size, visual, statistic ---------------------------------------

// bytes with the largest unit that leaves a whole number
void cfi_saveMemory(cfWriter* w, const cfRow* row, const void* target, const void* base) {
  static const char units[] = "KMGTPE";
  mjtSize bytes = ((const mjSpec*)target)->memory;
  char text[32];
  int unit = 0;
  (void)base;
  if (bytes == -1) {
    return;
  }
  for (; bytes && bytes % 1024 == 0 && units[unit]; unit++) {
    bytes /= 1024;
  }
  snprintf(text, sizeof(text), "%lld%.*s", (long long)bytes, unit ? 1 : 0,
           units + (unit ? unit - 1 : 0));
  cfi_writeText(&w->out, row->name, text);
}

void cfi_saveStack(cfWriter* w, const cfRow* row, const void* target, const void* base) {
  const int nstack = (int)((const mjSpec*)target)->nstack;
  (void)base;
  if (nstack != -1) {
    cfi_writeInts(&w->out, row->name, &nstack, 1);
  }
}

// sizes that were left open are known by now; none is not worth a word
void cfi_saveCount(cfWriter* w, const cfRow* row, const void* target, const void* base) {
  const int count = *(const int*)(const void*)((const char*)target + row->offset);
  (void)base;
  if (count) {
    cfi_writeInts(&w->out, row->name, &count, 1);
  }
}

static void writeSize(cfWriter* w, const mjSpec* base) {
  const cfOutputMark before = cfi_markOutput(&w->out);
  cfi_openTag(&w->out, "size");
  const cfOutputMark start = cfi_markOutput(&w->out);
  cfi_writeFields(w, TAG_SIZE, &w->spec->kept, base);
  cfi_closeUnlessEmpty(&w->out, "size", before, start);
}

static void writeVisual(cfWriter* w, const mjVisual* base) {
  const mjVisual* visual = &w->spec->kept.visual;
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
  cfi_writeFields(w, TAG_STATISTIC, &w->spec->kept.stat, NULL);
  cfi_closeUnlessEmpty(&w->out, "statistic", before, start);
}

//---------------------------------- default classes -----------------------------------------------

// an element of a class: only where some attribute differs from the class above
static void writeDefaultElement(cfWriter* w, cftTag tag, const cfElement* e,
                                const cfElement* base) {
  const cfOutputMark before = cfi_markOutput(&w->out);
  const mjtObj type = e->head.elemtype;
  const char* name = cfi_tags[tag].tag;
  cfi_openTag(&w->out, name);
  const cfOutputMark start = cfi_markOutput(&w->out);
  cfi_writeAttributes(w, tag, e, base);
  if (type == mjOBJ_ACTUATOR) {
    cfi_writeGain(w, e, base);
  } else if (type == mjOBJ_GEOM || type == mjOBJ_PAIR) {
    cfi_writeContactValues(w, e, base);
  } else if (type == mjOBJ_MATERIAL && w->out.used != start.used) {
    cfi_writeLayers(w, e);
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
    writeDefaultElement(w, tags[i], cfi_defaultElement(def, types[i]),
                        cfi_defaultElement(base, types[i]));
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

static void writeInstance(cfWriter* w, const cfElement* instance, const char* plugin) {
  cfi_openTag(&w->out, "instance");
  cfi_writeName(w, instance);
  cfi_writePluginConfig(w, instance, plugin);
  cfi_closeTag(&w->out, "instance");
}

// instances with a name, those of one plugin that stand together in one element
static void writeInstances(cfWriter* w, bool* is_seen, int nslot) {
  const cfList* instances = cfi_list(w->spec, mjOBJ_PLUGIN);
  const char* last = NULL;
  for (int i = 0; i < instances->count && cfi_length(&instances->item[i]->name); i++) {
    const char* name = cfi_text(((mjsPlugin*)instances->item[i]->attr)->plugin_name);
    int slot = -1;
    mjp_getPlugin(name, &slot);
    if (!last || strcmp(last, name) != 0) {
      if (last) {
        cfi_closeTag(&w->out, "plugin");
      }
      cfi_openTag(&w->out, "plugin");
      cfi_writeText(&w->out, "plugin", name);
      last = name;
    }
    if (slot >= 0 && slot < nslot) {
      is_seen[slot] = true;
    }
    writeInstance(w, instances->item[i], name);
  }
  if (last) {
    cfi_closeTag(&w->out, "plugin");
  }
}

void cfi_writeExtension(cfWriter* w) {
  const int count = cfi_countInts(&w->spec->plugins), nslot = mjp_pluginCount();
  if (!count) {
    return;
  }
  bool* is_seen = (bool*)calloc((size_t)nslot + 1, sizeof(bool));
  if (!is_seen) {
    w->trouble = "could not allocate memory for writing plugins";
    return;
  }
  cfi_openTag(&w->out, "extension");
  writeInstances(w, is_seen, nslot);
  for (int i = 0; i < count; i++) {
    const int slot = cfi_ints(&w->spec->plugins)[i];
    const mjpPlugin* plugin = mjp_getPluginAtSlot(slot);
    if (plugin && slot < nslot && !is_seen[slot]) {
      cfi_openTag(&w->out, "plugin");
      cfi_writeText(&w->out, "plugin", plugin->name);
      cfi_closeTag(&w->out, "plugin");
    }
  }
  cfi_closeTag(&w->out, "extension");
  free(is_seen);
}
