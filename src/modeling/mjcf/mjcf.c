// Order in which the sections of a model are read.
#include "mjcf/reader.h"

#include <string.h>

#include "base/assert.h"

// later sections refer to earlier ones; bodies come last because replicate copies what refers to
// them
static const struct {
  const char* tag;
  void (*read)(cfReader*, const cfNode*);
} sections[] = {
    {"compiler", cfi_readCompiler},
    {"option", cfi_readOption},
    {"size", cfi_readSize},
    {"visual", cfi_readVisual},
    {"statistic", cfi_readStatistic},
    {"default", cfi_readDefaults},
    {"extension", cfi_readExtension},
    {"custom", cfi_readCustom},
    {"asset", cfi_readAssets},
    {"contact", cfi_readContacts},
    {"deformable", cfi_readDeformables},
    {"equality", cfi_readEqualities},
    {"tendon", cfi_readTendons},
    {"actuator", cfi_readActuators},
    {"sensor", cfi_readSensors},
    {"keyframe", cfi_readKeyframes},
    {"worldbody", cfi_readWorld},
};

void cfi_readModel(cfReader* r, cfNode* root) {
  cfi_checkSchema(r->report, root);
  const char* name = cfi_attribute(root, "model");
  if (name) {
    mjs_setString(r->spec->modelname, name);
  }
  mjs_setString(r->spec->comment, r->doc->comment ? r->doc->comment : "");
  for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++) {
    for (const cfNode* node = cfi_firstChild(root, sections[i].tag); node;
         node = cfi_nextSibling(node, sections[i].tag)) {
      sections[i].read(r, node);
    }
  }
}
