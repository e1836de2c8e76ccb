// Elements that stand in default classes as well as in the model.
#include "mjcf/writer.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/path.h"

//---------------------------------- assets --------------------------------------------------------

void cfi_writeMesh(cfWriter* w, cftTag tag, const cfElement* e, const cfElement* base) {
  cfi_writeFields(w, tag, e->attr, base ? base->attr : NULL);
}

static const char* textureOf(const cfElement* material, int role) {
  const void* textures = ((const mjsMaterial*)material->attr)->textures;
  return role < cfi_countStrings(textures) ? cfi_text(cfi_strings(textures) + role) : "";
}

void cfi_writeMaterial(cfWriter* w, cftTag tag, const cfElement* e, const cfElement* base) {
  cfi_writeFields(w, tag, e->attr, base ? base->attr : NULL);

  // one texture for color is an attribute, anything else are layers
  bool has_layers = false, differs = false;
  for (int role = 0; role < mjNTEXROLE; role++) {
    has_layers = has_layers || (role != mjTEXROLE_RGB && *textureOf(e, role));
    differs = differs || strcmp(textureOf(e, role), base ? textureOf(base, role) : "") != 0;
  }
  if (differs && !has_layers) {
    cfi_writeText(&w->out, "texture", textureOf(e, mjTEXROLE_RGB));
  }
  for (int role = 0; role < mjNTEXROLE && differs && has_layers; role++) {
    if (*textureOf(e, role)) {
      cfi_openTag(&w->out, "layer");
      cfi_writeText(&w->out, "texture", textureOf(e, role));
      cfi_writeText(&w->out, "role", cfi_valueWord(WORDS_TEXROLE, role));
      cfi_closeTag(&w->out, "layer");
    }
  }
}

//---------------------------------- camera --------------------------------------------------------

// words for the bits of the images
void cfi_writeCameraOutput(cfWriter* w, const cfRow* row, const void* target, const void* base) {
  char words[100] = "";
  int count, bits = ((const mjsCamera*)target)->output;
  const cfKeyword* word = cfi_keywords(row->words, &count);
  if (base && bits == ((const mjsCamera*)base)->output) {
    return;
  }
  for (int i = 0; i < count; i++) {
    if (bits & word[i].value) {
      size_t used = strlen(words);
      snprintf(words + used, sizeof(words) - used, "%s%s", used ? " " : "", word[i].word);
    }
  }
  cfi_writeText(&w->out, row->name, words);
}

// fovy and sensorsize exclude each other
void cfi_writeCamera(cfWriter* w, cftTag tag, const cfElement* e, const cfElement* base) {
  mjsCamera copy = *(const mjsCamera*)e->attr, other = *(const mjsCamera*)base->attr;
  bool has_sensor =
      copy.sensor_size[0] != other.sensor_size[0] || copy.sensor_size[1] != other.sensor_size[1];
  if (has_sensor) {
    copy.fovy = other.fovy;
  }
  cfi_writeFields(w, tag, &copy, &other);
  const int count = cfi_countDoubles(copy.userdata);
  if (count && cfi_findRow(tag, "user")) {
    cfi_writeDoubles(&w->out, "user", cfi_doubles(copy.userdata), count);
  }
}

//---------------------------------- tendon, actuator ----------------------------------------------

void cfi_writeTendon(cfWriter* w, cftTag tag, const cfElement* e, const cfElement* base) {
  cfi_writeFields(w, tag, e->attr, base->attr);
}

// servos that take their range from the target can only be written as such
const char* cfi_actuatorTag(const cfElement* e) {
  const mjsActuator* actuator = (const mjsActuator*)e->attr;
  if (actuator->plugin.active) {
    return "plugin";
  }
  if (actuator->inheritrange > 0) {
    return actuator->dyntype == mjDYN_INTEGRATOR ? "intvelocity" : "position";
  }
  return "general";
}

static void writeServo(cfWriter* w, const mjsActuator* actuator) {
  const double damping = actuator->biasprm[2];
  const double kv = -damping;
  cfi_writeDoubles(&w->out, "kp", actuator->gainprm, 1);
  cfi_writeDoubles(&w->out, "inheritrange", &actuator->inheritrange, 1);
  if (damping > 0) {
    cfi_writeDoubles(&w->out, "dampratio", &damping, 1);
  } else if (damping < 0) {
    cfi_writeDoubles(&w->out, "kv", &kv, 1);
  }
  if (actuator->dyntype == mjDYN_FILTEREXACT) {
    cfi_writeDoubles(&w->out, "timeconst", actuator->dynprm, 1);
  }
}

void cfi_writeActuator(cfWriter* w, cftTag tag, const cfElement* e, const cfElement* base) {
  const mjsActuator *actuator = (const mjsActuator*)e->attr,
                    *other = (const mjsActuator*)base->attr;
  mjsActuator copy = *actuator;
  const char* kind = cfi_actuatorTag(e);
  const bool is_servo = strcmp(kind, "position") == 0 || strcmp(kind, "intvelocity") == 0;

  // a servo's range must stay open until it is inherited
  if (is_servo) {
    memcpy(copy.ctrlrange, other->ctrlrange, sizeof(copy.ctrlrange));
    memcpy(copy.actrange, other->actrange, sizeof(copy.actrange));
  }

  // a model has its own words for gain and parameters
  if (cfi_writtenGain(e)) {
    copy.gaintype = other->gaintype;
    memcpy(copy.gainprm, other->gainprm, sizeof(copy.gainprm));
  }
  cfi_writeFields(w, tag, &copy, other);
  cfi_writeGain(w, e, base);
  if (is_servo) {
    writeServo(w, actuator);
  }
}
