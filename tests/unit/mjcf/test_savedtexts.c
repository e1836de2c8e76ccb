// Saved texts are those of MuJoCo 3.5.0: recorded ones (tests/data/saved, made by
// tools/saved_texts.py) and, where the reference is there, those of all own models.
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mujoco/mujoco.h>

#include "cf_folder.h"
#include "cf_reference.h"
#include "cf_test.h"
#include "mjcf/output.h"

enum { TEXT_BYTES = 1 << 24 };

static void ignoreWarning(const char* message) {
  (void)message;
}


// text of a file, freed by the caller; NULL where there is none
static char* readFile(const char* path) {
  FILE* file = fopen(path, "r");
  if (!file) {
    return NULL;
  }
  char* text = (char*)calloc(1, TEXT_BYTES);
  const size_t n = fread(text, 1, TEXT_BYTES - 1, file);
  text[n] = 0;
  fclose(file);
  return text;
}


// number of the first line that differs, 0 for none
static int differingLine(const char* a, const char* b) {
  int line = 1;
  for (; *a && *a == *b; a++, b++) {
    line += *a == '\n';
  }
  return *a == *b ? 0 : line;
}


// what we save of a model file, freed by the caller; NULL where it is refused
static char* saveOurs(const char* path) {
  char error[2000] = "";
  mjSpec* spec = mj_parseXML(path, NULL, error, sizeof(error));
  mjModel* m = spec ? mj_compile(spec, NULL) : NULL;
  char* text = (char*)calloc(1, TEXT_BYTES);
  if (m && mj_saveXMLString(spec, text, TEXT_BYTES, error, sizeof(error))) {
    printf("%s: %s\n", path, error);
  }
  if (!m) {
    free(text);
    text = NULL;
  }
  mj_deleteModel(m);
  mj_deleteSpec(spec);
  return text;
}


static char* saveReference(const char* path) {
  char error[2000] = "";
  CF_REF(mj_clearCache)(CF_REF(mj_getCache)());
  mjSpec* spec = CF_REF(mj_parseXML)(path, NULL, error, sizeof(error));
  mjModel* m = spec ? CF_REF(mj_compile)(spec, NULL) : NULL;
  char* text = (char*)calloc(1, TEXT_BYTES);
  if (m) {
    CF_REF(mj_saveXMLString)(spec, text, TEXT_BYTES, error, sizeof(error));
  }
  CF_REF(mj_deleteModel)(m);
  CF_REF(mj_deleteSpec)(spec);
  return text;
}


//---------------------------------- recorded ------------------------------------------------------

CF_TEST(savedText__recorded_models__as_recorded) {
  static const char folder[] = CF_SOURCE_DIR "/tests/data/saved/";
  struct dirent** list;
  int count = 0;
  const int n = scandir(folder, &list, NULL, alphasort);
  CF_TRUE(n > 0);
  for (int i = 0; i < n; i++) {
    char path[2000], model[2000];
    char* end = strstr(list[i]->d_name, ".saved");
    if (end) {
      snprintf(path, sizeof(path), "%s%s", folder, list[i]->d_name);
      *end = 0;
      snprintf(model, sizeof(model), CF_SOURCE_DIR "/models/%s", list[i]->d_name);
      for (char* p = model + strlen(CF_SOURCE_DIR); *p; p++) {
        *p = *p == '+' ? '/' : *p;
      }
      char *expected = readFile(path), *text = saveOurs(model);
      CF_TRUE(expected && text);
      if (differingLine(text, expected)) {
        CF_FAIL("%s: line %d differs\n", model, differingLine(text, expected));
      }
      free(expected);
      free(text);
      count++;
    }
    free(list[i]);
  }
  free(list);
  CF_TRUE(count >= 15);
}


//---------------------------------- reference -----------------------------------------------------

// MuJoCo writes names of energy sensors that it does not read
static void mendNames(char* text) {
  static const char* const names[] = {"potential", "kinetic"};
  for (int k = 0; k < 2; k++) {
    char tag[20];
    snprintf(tag, sizeof(tag), "<%s", names[k]);
    for (char* p = text; (p = strstr(p, tag)) != NULL; p += strlen(tag)) {
      memmove(p + 3, p + 1, strlen(p + 1) + 1);
      memcpy(p + 1, "e_", 2);
    }
  }
}


typedef struct {
  int compared, equal;
} textCount;


static void compareFile(const char* path, void* context) {
  textCount* count = (textCount*)context;
  char* ours = saveOurs(path);
  if (!ours) {
    return;
  }
  char* ref = saveReference(path);
  if (ref[0]) {
    mendNames(ref);
    const int line = differingLine(ours, ref);
    count->compared++;
    count->equal += !line;
    if (line) {
      printf("%s: line %d differs\n", path, line);
    }
  }
  free(ref);
  free(ours);
}


static textCount compareFolder(const char* folder) {
  textCount count = {0, 0};
  mju_user_warning = ignoreWarning;
  *(void (**)(const char*))cf_referenceSymbol("mju_user_warning") = ignoreWarning;
  cf_visitModels(folder, compareFile, &count);
  mju_user_warning = NULL;
  printf("%d texts, %d equal\n", count.compared, count.equal);
  return count;
}


CF_TEST(savedText__own_models__as_the_reference_saves_them) {
  CF_NEED_REFERENCE();
  const textCount count = compareFolder(CF_SOURCE_DIR "/models");
  CF_TRUE(count.compared > 100);
  CF_EQ_INT(count.equal, count.compared);
}


CF_TEST(savedText__models_of_the_compiler__as_the_reference_saves_them) {
  CF_NEED_REFERENCE();
  const textCount count = compareFolder(CF_SOURCE_DIR "/tests/data/compile");
  CF_TRUE(count.compared > 40);
  CF_EQ_INT(count.equal, count.compared);
}


// numbers of a model that was changed, elevations among them
CF_TEST(savedText__last_model_changed__as_the_reference_saves_it) {
  CF_NEED_REFERENCE();
  static const char path[] = CF_SOURCE_DIR "/models/contacts/on_hfield.xml";
  char name[2][40] = {"/tmp/cf_textXXXXXX", "/tmp/cf_textXXXXXX"}, error[2000] = "";
  mjModel* models[2] = {mj_loadXML(path, NULL, error, sizeof(error)),
                        CF_REF(mj_loadXML)(path, NULL, error, sizeof(error))};
  for (int k = 0; k < 2; k++) {
    mjModel* m = models[k];
    CF_TRUE(m && m->nhfielddata > 3);
    close(mkstemp(name[k]));
    m->hfield_data[3] = 0.625f;
    m->opt.timestep = 0.0125;
    m->vis.global.fovy = 33;
    m->body_pos[3] += 0.125;
    m->geom_rgba[2] = 0.75f;
    m->stat.extent = 7;
  }
  CF_EQ_INT(mj_saveLastXML(name[0], models[0], error, sizeof(error)), 1);
  CF_EQ_INT(CF_REF(mj_saveLastXML)(name[1], models[1], error, sizeof(error)), 1);
  char *ours = readFile(name[0]), *ref = readFile(name[1]);
  CF_HAS_STR(ours, "0.625");
  CF_EQ_STR(ours, ref);
  free(ours);
  free(ref);
  unlink(name[0]);
  unlink(name[1]);
  mj_deleteModel(models[0]);
  CF_REF(mj_deleteModel)(models[1]);
}

CF_TEST_MAIN("mjcf/savedtexts")
