// Sections that set options of the whole model: compiler, option, size, visual, statistic.
#include "mjcf/reader.h"

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/assert.h"

//---------------------------------- compiler ------------------------------------------------------

// an old switch for what is now the inertia attribute of meshes; the last one counts
static void readExactMeshInertia(cfReader* r, const cfNode* node) {
  int value;
  if (cfi_readWord(r, node, "exactmeshinertia", WORDS_BOOL, &value)) {
    cfi_warn(r->report, node,
             "exactmeshinertia is an alias of inertia=\"exact\" in the mesh defaults");
    mjs_getSpecDefault(r->spec)->mesh->inertia =
        value ? mjMESH_INERTIA_EXACT : mjMESH_INERTIA_LEGACY;
  }
}

static void readFolders(const cfNode* node, mjsCompiler* compiler) {
  const char* assetdir = cfi_attribute(node, "assetdir");
  const char* meshdir = cfi_attribute(node, "meshdir");
  const char* texturedir = cfi_attribute(node, "texturedir");
  meshdir = meshdir ? meshdir : assetdir;
  texturedir = texturedir ? texturedir : assetdir;
  if (meshdir) {
    mjs_setString(compiler->meshdir, meshdir);
  }
  if (texturedir) {
    mjs_setString(compiler->texturedir, texturedir);
  }
}

void cfi_readEulerSequence(cfReader* r, const cfNode* node, const cfRow* row, const char* text,
                           void* target) {
  if (strlen(text) != row->size) {
    cfi_error(r->report, node, "euler format must have length 3, got '%s'", text);
  } else {
    memcpy((char*)target + row->offset, text, row->size);
  }
}

void cfi_readCompiler(cfReader* r, const cfNode* node) {
  mjsCompiler* compiler = &r->spec->compiler;
  cfi_readFields(r, node, r->spec);
  readFolders(node, compiler);
  readExactMeshInertia(r, node);
  int keeps_mimic;  // for URDF alone, but a wrong word is wrong everywhere
  cfi_readWord(r, node, "cortenforge:mimic", WORDS_BOOL, &keeps_mimic);

  int coordinate = 0;
  if (cfi_readWord(r, node, "coordinate", WORDS_COORDINATE, &coordinate) && coordinate == 1) {
    cfi_error(r->report, node,
              "global coordinates no longer supported. To convert existing models, load and save "
              "them in MuJoCo 2.3.3 or older");
  }
  const cfNode* lengthrange = cfi_firstChild(node, "lengthrange");
  if (lengthrange) {
    cfi_readFields(r, lengthrange, &compiler->LRopt);
  }
}

//---------------------------------- option --------------------------------------------------------

// disabling a flag of the first kind, enabling one of the second, sets its bit
static void setFlag(mjOption* option, cftHow how, int bits, bool is_on) {
  int* word = how == HOW_ON ? &option->enableflags : &option->disableflags;
  const bool is_set = how == HOW_ON ? is_on : !is_on;
  *word = is_set ? *word | bits : *word & ~bits;
}

static void readFlags(cfReader* r, const cfNode* node, mjOption* option) {
  int on;

  // an alias beyond the grammar comes first, so that spring and damper override it
  if (cfi_attribute(node, "passive")) {
    cfi_warn(r->report, node, "flag 'passive' is an alias of 'spring' and 'damper'");
    if (cfi_readWord(r, node, "passive", WORDS_ENABLE, &on)) {
      setFlag(option, HOW_OFF, mjDSBL_SPRING | mjDSBL_DAMPER, on);
    }
  }
  for (int i = 0; i < node->nattribute; i++) {
    const cfRow* row = node->attribute[i].row;
    if (row && cfi_readWord(r, node, row->name, row->words, &on)) {
      setFlag(option, row->how, row->value, on);
    }
  }
}

void cfi_readDisabledGroups(cfReader* r, const cfNode* node, const cfRow* row, const char* text,
                            void* target) {
  enum { GROUPS = 31 };
  int group[GROUPS];
  mjOption* option = (mjOption*)target;
  (void)text;
  const int count = cfi_readInts(r, node, row->name, group, GROUPS, false);
  for (int i = 0; i < count; i++) {
    if (group[i] < 0) {
      cfi_error(r->report, node, "disabled actuator group value must be non-negative");
    } else if (group[i] >= GROUPS) {
      cfi_error(r->report, node, "disabled actuator group value cannot exceed 30");
    } else {
      option->disableactuator |= 1 << group[i];
    }
  }
}

static const char own_integrator[] = "cortenforge:integrator";

static void readOwnIntegrator(cfReader* r, const cfNode* node, mjOption* option) {
  int integrator;
  if (!cfi_readWord(r, node, own_integrator, WORDS_INTEGRATOR_OF_OURS, &integrator)) {
    return;
  }
  if (cfi_attribute(node, "integrator")) {
    cfi_error(r->report, node, "integrator is chosen twice: by 'integrator' and by '%s'",
              own_integrator);
  }
  option->integrator = integrator;
}

void cfi_readOption(cfReader* r, const cfNode* node) {
  mjOption* option = &r->spec->option;
  cfi_readFields(r, node, option);
  readOwnIntegrator(r, node, option);
  cfi_readContactSolver(r, node);
  const cfNode* flag = cfi_firstChild(node, "flag");
  if (flag) {
    readFlags(r, flag, option);
  }
}

//---------------------------------- size ----------------------------------------------------------

// bytes with an optional suffix K, M, G, T, P or E; -1 where it is malformed or too big
static int64_t readBytes(const char* text) {
  text += strspn(text, " \t\r\n");
  if (*text < '0' || *text > '9') {
    return -1;
  }
  uint64_t value = 0;
  for (; *text >= '0' && *text <= '9'; text++) {
    const uint64_t digit = (uint64_t)(*text - '0');
    if (value > (UINT64_MAX - digit) / 10) {
      return -1;
    }
    value = 10 * value + digit;
  }
  static const char units[] = "kKmMgGtTpPeE";
  const char* unit = *text ? strchr(units, *text) : NULL;
  const int shift = unit ? 10 * ((int)(unit - units) / 2 + 1) : 0;
  text += unit != NULL;
  text += strspn(text, " \t\r\n");
  if (*text || (shift && value > (UINT64_MAX >> shift)) || (value << shift) > INT64_MAX) {
    return -1;
  }
  return (int64_t)(value << shift);
}

static void readMemory(cfReader* r, const cfNode* node) {
  const char* text = cfi_attribute(node, "memory");
  if (!text) {
    return;
  }
  const char* word = text + strspn(text, " \t\r\n");
  if (strncmp(word, "-1", 2) == 0 && !word[2 + strspn(word + 2, " \t\r\n")]) {
    return;
  }
  const int64_t bytes = readBytes(text);
  if (bytes < 0) {
    cfi_error(r->report, node,
              "unsigned integer with an optional suffix {K,M,G,T,P,E} is expected in attribute "
              "'memory' (or the size specified is too big)");
    return;
  }
  r->spec->memory = bytes;
}

// old ways of giving memory, refused beside the new one
static void readOldSize(cfReader* r, const cfNode* node, const char* name, mjtSize* size,
                        int* count) {
  int value = -1;
  if (!cfi_readInt(r, node, name, &value)) {
    return;
  }
  if (r->spec->memory != -1 && value != -1) {
    cfi_error(r->report, node, "either 'memory' and '%s' attribute can be specified, not both",
              name);
  }
  if (size) {
    *size = value;
  } else {
    *count = value;
  }
}

void cfi_readSize(cfReader* r, const cfNode* node) {
  mjSpec* s = r->spec;
  readMemory(r, node);
  cfi_readFields(r, node, s);
  readOldSize(r, node, "nstack", &s->nstack, NULL);
  readOldSize(r, node, "njmax", NULL, &s->njmax);

  const struct {
    const char* name;
    int value;
  } checked[] = {{"nconmax", s->nconmax},           {"nuser_body", s->nuser_body},
                 {"nuser_jnt", s->nuser_jnt},       {"nuser_geom", s->nuser_geom},
                 {"nuser_site", s->nuser_site},     {"nuser_cam", s->nuser_cam},
                 {"nuser_tendon", s->nuser_tendon}, {"nuser_actuator", s->nuser_actuator},
                 {"nuser_sensor", s->nuser_sensor}};
  for (size_t i = 0; i < sizeof(checked) / sizeof(checked[0]); i++) {
    if (checked[i].value < -1) {
      cfi_error(r->report, node, "%s must be >= -1", checked[i].name);
    }
  }
}

//---------------------------------- visual, statistic ---------------------------------------------

void cfi_readVisual(cfReader* r, const cfNode* section) {
  mjVisual* visual = &r->spec->visual;
  for (const cfNode* node = section->first; node; node = node->next) {
    if (node->tag_id < 0) {
      continue;
    }
    cfi_readFields(r, node, visual);
    if (cfi_attribute(node, "realtime") && visual->global.realtime <= 0) {
      cfi_error(r->report, node, "realtime must be greater than 0");
    }
    if (node->tag_id == TAG_VISUAL_MAP && visual->map.znear <= 0) {
      cfi_error(r->report, node, "znear must be strictly positive");
    }
  }
}

void cfi_readStatistic(cfReader* r, const cfNode* node) {
  mjStatistic* stat = &r->spec->stat;
  cfi_readFields(r, node, stat);
  if (!isnan(stat->extent) && stat->extent <= 0) {
    cfi_error(r->report, node, "extent must be strictly positive");
  }
}
