// Writing a compiled specification as MJCF, as MuJoCo 3.5.0 does it.
//
// The text is made from what the last compilation kept (cfKept): angles in radians, poses seen from
// the body, frames folded, ranges inherited.  Which attributes are written and when stands in the
// column `save` of mjcf_attributes.def, their order in mjcf_saved.def.
#ifndef CF_MJCF_WRITER_H
#define CF_MJCF_WRITER_H

#include "mjcf/grammar.h"
#include "mjcf/output.h"
#include "spec/spec.h"

typedef struct cfWriter {
  cfOutput out;
  cfSpec* spec;
  const char* folder;             // where the text will stand, empty for the working directory
  cfElement* pristine[CF_LISTS];  // untouched elements to compare with, made when first needed
  const cfElement* element;       // whose attributes are being written
  bool is_class;                  // and it stands in a default class
  const char* trouble;            // why the model cannot be written, NULL so far
} cfWriter;

// element of a type with the attributes it starts with, without any class
const cfElement* cfi_pristine(cfWriter* w, mjtObj type);

// attributes as the last compilation left them; those of classes are never compiled
static inline const void* cfi_finalAttributes(const cfElement* e) {
  return e->kept.attr ? e->kept.attr : e->attr;
}

// name of a file as the saved model has to give it
const char* cfi_fileText(cfWriter* w, const cfElement* e, const char* file, bool is_texture,
                         cfString* scratch);

// attributes of a tag, as their rows say; `target` differs from the struct of the element where
// that has no element of its own
void cfi_writeFields(cfWriter* w, cftTag tag, const void* target, const void* base);

// the same for an element of a model or class; `base` is that of its class or the class above
void cfi_writeAttributes(cfWriter* w, cftTag tag, const cfElement* e, const cfElement* base);

// one attribute as its form says, for functions that decide whether it is written
void cfi_writeField(cfWriter* w, const cfRow* row, const void* target, const void* base);

// text that is not empty
void cfi_writeWord(cfWriter* w, const char* attribute, const char* text);

// name and, where it is neither the surrounding one nor the main one, class
void cfi_writeName(cfWriter* w, const cfElement* e);
void cfi_writeClass(cfWriter* w, const cfElement* e, const char* surrounding);

// parts of elements that are no attributes, or not MuJoCo's
void cfi_writeLayers(cfWriter* w, const cfElement* material);
void cfi_writeGain(cfWriter* w, const cfElement* e, const cfElement* base);
const struct cfGainModel_* cfi_writtenGain(const cfElement* e);
void cfi_writeContactSolver(cfWriter* w);
void cfi_writeContactValues(cfWriter* w, const cfElement* e, const cfElement* base);

// the plugin an element uses, by instance or with a configuration of its own: as attributes, as
// children, or as a child with both
void cfi_writePluginUse(cfWriter* w, const mjsPlugin* plugin);
void cfi_writePluginOwn(cfWriter* w, const mjsPlugin* plugin);
void cfi_writePlugin(cfWriter* w, const mjsPlugin* plugin);
void cfi_writePluginConfig(cfWriter* w, const cfElement* instance, const char* plugin_name);

// sections
void cfi_writeSettings(cfWriter* w);
void cfi_writeDefaults(cfWriter* w);
void cfi_writeExtension(cfWriter* w);
void cfi_writeCustom(cfWriter* w);
void cfi_writeAssets(cfWriter* w);
void cfi_writeWorld(cfWriter* w);
void cfi_writeContacts(cfWriter* w);
void cfi_writeDeformables(cfWriter* w);
void cfi_writeEqualities(cfWriter* w);
void cfi_writeTendons(cfWriter* w);
void cfi_writeActuators(cfWriter* w);
void cfi_writeSensors(cfWriter* w);
void cfi_writeKeyframes(cfWriter* w);

// whole model; the caller frees the output
void cfi_writeModel(cfWriter* w);

#endif  // CF_MJCF_WRITER_H
