// Reading a document tree into a specification.
#ifndef CF_MJCF_READER_H
#define CF_MJCF_READER_H

#include "mjcf/dom.h"
#include "mjcf/grammar.h"
#include "mjcf/report.h"
#include "spec/spec.h"

typedef struct cfReader {
  cfDocument* doc;
  cfReport* report;
  mjSpec* spec;
  const mjVFS* vfs;
  const char* modeldir;                         // folder of the model file
  const char *assetdir, *meshdir, *texturedir;  // last ones found anywhere in the file, "" if none
  double elevations;                            // of height fields without a file, so far
  bool in_defaults;
} cfReader;

// schema.c: give every node its tag, report what the grammar does not allow
void cfi_checkSchema(cfReport* report, cfNode* root);

// schema.c: the same for MJCF inside another document, without reports
void cfi_bindRows(cfNode* node, cftTag tag);

// attributes.c: one attribute at a time.  They report problems and return how many values were
// read.
int cfi_readNumbers(cfReader* r, const cfNode* node, const char* name, double* data, int max,
                    bool exact);
int cfi_readInts(cfReader* r, const cfNode* node, const char* name, int* data, int max, bool exact);
bool cfi_readDouble(cfReader* r, const cfNode* node, const char* name, double* value);
bool cfi_readInt(cfReader* r, const cfNode* node, const char* name, int* value);
bool cfi_readWord(cfReader* r, const cfNode* node, const char* name, cftWords words, int* value);
int cfi_readWords(cfReader* r, const cfNode* node, const char* name, cftWords words, int* data,
                  int max);
int cfi_readVector(cfReader* r, const cfNode* node, const char* name, cfVec* data, cftHow how);
const char* cfi_readText(cfReader* r, const cfNode* node, const char* name, bool required);
// may a replicate be expanded: it and those within it make no more than a model may have; false
// with a message
bool cfi_checkCopies(cfReader* r, const cfNode* node);

bool cfi_require(cfReader* r, const cfNode* node, const char* name);
bool cfi_requireNumbers(cfReader* r, const cfNode* node, const char* name);

// attributes.c: every attribute of the node that its row reads into the target, a struct of the
// node's group
void cfi_readFields(cfReader* r, const cfNode* node, void* target);

// elements.c: what all elements have: name, class, place in the text
void cfi_readName(cfReader* r, const cfNode* node, mjsElement* element);
void cfi_setOrigin(cfReader* r, const cfNode* node, mjsElement* element);
const mjsDefault* cfi_readClass(cfReader* r, const cfNode* node);
const mjsDefault* cfi_readChildClass(cfReader* r, const cfNode* node);

// elements.c: an element of any kind that has a default class
void cfi_readElement(cfReader* r, const cfNode* node, mjsElement* element);

// children of a section, by their tags
typedef struct {
  int tag_id;
  void (*read)(cfReader* r, const cfNode* node);
} cfChildReader;
void cfi_readChildren(cfReader* r, const cfNode* section, const cfChildReader* readers, int count);

// what an actuator has beyond the attributes of its rows
void cfi_finishActuator(cfReader* r, const cfNode* node, void* attr);
void cfi_readGain(cfReader* r, const cfNode* node, mjsActuator* actuator);
void cfi_readContactValues(cfReader* r, const cfNode* node, mjsElement* element);
void cfi_readContactSolver(cfReader* r, const cfNode* node);
void cfi_readPlugin(cfReader* r, const cfNode* node, mjsPlugin* plugin);
void cfi_readPluginConfig(cfReader* r, const cfNode* node, mjsPlugin* plugin);

// the plugin of many bodies: an instance without a name gets one, a body uses the instance
void cfi_namePlugin(mjsPlugin* plugin, const char* prefix, const char* name);
void cfi_sharePlugin(mjsBody* body, const mjsPlugin* plugin);

// assets.c: names of the exchangeable models of a flex
void cfi_readFlexModels(cfReader* r, const cfNode* node, mjsElement* flex);
void cfi_readFlexModuli(cfReader* r, const cfNode* node, mjsElement* flex);

// sections
void cfi_readCompiler(cfReader* r, const cfNode* node);
void cfi_readOption(cfReader* r, const cfNode* node);
void cfi_readSize(cfReader* r, const cfNode* node);
void cfi_readVisual(cfReader* r, const cfNode* node);
void cfi_readStatistic(cfReader* r, const cfNode* node);
void cfi_readDefaults(cfReader* r, const cfNode* node);
void cfi_readExtension(cfReader* r, const cfNode* node);
void cfi_readCustom(cfReader* r, const cfNode* node);
void cfi_readAssets(cfReader* r, const cfNode* node);
void cfi_readContacts(cfReader* r, const cfNode* node);
void cfi_readDeformables(cfReader* r, const cfNode* node);
void cfi_readEqualities(cfReader* r, const cfNode* node);
void cfi_readTendons(cfReader* r, const cfNode* node);
void cfi_readActuators(cfReader* r, const cfNode* node);
void cfi_readSensors(cfReader* r, const cfNode* node);
void cfi_readKeyframes(cfReader* r, const cfNode* node);
void cfi_readWorld(cfReader* r, const cfNode* node);
void cfi_readComposite(cfReader* r, const cfNode* node, mjsBody* body, mjsFrame* frame);
void cfi_readFlexcomp(cfReader* r, const cfNode* node, mjsBody* body);

// files.c: name of a file as it goes into the specification
const char* cfi_resolveFile(cfReader* r, const cfNode* node, const char* name, const char* folder);

// attribute `file` of an asset, resolved; false if there is none
bool cfi_readFileName(cfReader* r, const cfNode* node, mjString* file, const char* folder);
const char* cfi_documentPath(cfDocument* doc, const char* folder, const char* name);
const char* cfi_meshFolder(cfReader* r);
const char* cfi_textureFolder(cfReader* r);
const char* cfi_assetFolder(cfReader* r);

// files.c: replace include elements by the files they name
void cfi_expandIncludes(cfReader* r, cfNode* root);

// mjcf.c: whole file
void cfi_readModel(cfReader* r, cfNode* root);

// urdf.c
void cfi_readRobot(cfReader* r, cfNode* root);

#endif  // CF_MJCF_READER_H
