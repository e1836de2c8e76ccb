// Writing a specification as MJCF.
//
// The text is made from the specification itself, not from a compiled model: frames, classes,
// orientations and files stay as they were given, so that compiling the text gives the same model.
#ifndef CF_MJCF_WRITER_H
#define CF_MJCF_WRITER_H

#include "mjcf/grammar.h"
#include "mjcf/output.h"
#include "spec/spec.h"

// elements of the root class without what the elements of a class cannot undo
typedef struct {
  cfElement element;
  union {
    mjsGeom geom;
    mjsSite site;
    mjsCamera camera;
  } attr;
} cfRootElement;

typedef struct cfWriter {
  cfOutput out;
  cfSpec* spec;
  cfElement* pristine[CF_LISTS];  // untouched elements to compare with, made when first needed
  cfRootElement root[3];          // geom, site and camera, made when asked for
} cfWriter;

// element of a type with the attributes it starts with, without any class
const cfElement* cfi_pristine(cfWriter* w, mjtObj type);

// element of a class as it is written: the root class has no end points and no orientation other
// than a quaternion, because elements that were compiled give a pose of their own and no class
// stands above the root for them to be written with
const cfElement* cfi_classElement(cfWriter* w, const cfElement* def, mjtObj type);

// name of a file as the saved model has to give it
const char* cfi_fileText(cfWriter* w, const cfElement* e, const char* file, bool is_texture,
                         cfString* scratch);

// attributes of a tag whose fields differ from those of `base`, as their rows say
// (mjcf_attributes.def)
void cfi_writeFields(cfWriter* w, cftTag tag, const void* target, const void* base);

// name and, where it differs from the surrounding one, class
void cfi_writeName(cfWriter* w, const cfElement* e);
void cfi_writeClass(cfWriter* w, const cfElement* e, const char* surrounding);

// attributes of one element, compared with `base`, which may be the element of a class
void cfi_writeMesh(cfWriter* w, cftTag tag, const cfElement* e, const cfElement* base);
void cfi_writeMaterial(cfWriter* w, cftTag tag, const cfElement* e, const cfElement* base);
void cfi_writeCamera(cfWriter* w, cftTag tag, const cfElement* e, const cfElement* base);
void cfi_writeTendon(cfWriter* w, cftTag tag, const cfElement* e, const cfElement* base);
void cfi_writeGain(cfWriter* w, const cfElement* e, const cfElement* base);

// contactsolvers.c: contact solver of the options, parameters of a geom or pair
void cfi_writeContactSolver(cfWriter* w);
void cfi_writeContactValues(cfWriter* w, const cfElement* e, const cfElement* base);
const struct cfGainModel_* cfi_writtenGain(const cfElement* e);
void cfi_writeActuator(cfWriter* w, cftTag tag, const cfElement* e, const cfElement* base);
const char* cfi_actuatorTag(const cfElement* e);
// inside the open tag of an element: the plugin it uses, by instance or with a configuration of its
// own
void cfi_writePluginUse(cfWriter* w, const mjsPlugin* plugin);
void cfi_writePlugin(cfWriter* w, const char* tag, const mjsPlugin* plugin);
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
