// Everything that a specification and its model take from the heap goes back to it.
#include "cf_test.h"

#include <dirent.h>
#include <stdatomic.h>

#include <mujoco/mujoco.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__GLIBC__)
#define CF_NO_COUNT  // the sanitizers look for leaks themselves
#endif

static atomic_int blocks;  // taken and not given back

#ifndef CF_NO_COUNT

void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* p, size_t size);
void* __libc_memalign(size_t alignment, size_t size);
void __libc_free(void* p);


void* malloc(size_t size) {
  atomic_fetch_add(&blocks, 1);
  return __libc_malloc(size);
}


void* calloc(size_t count, size_t size) {
  atomic_fetch_add(&blocks, 1);
  return __libc_calloc(count, size);
}


void* realloc(void* p, size_t size) {
  atomic_fetch_add(&blocks, !p);
  return __libc_realloc(p, size);
}


void* aligned_alloc(size_t alignment, size_t size) {
  atomic_fetch_add(&blocks, 1);
  return __libc_memalign(alignment, size);
}


void free(void* p) {
  atomic_fetch_sub(&blocks, p != NULL);
  __libc_free(p);
}

#endif


// read, copy, compile, save and delete
static void useModel(const char* path) {
  char error[1000] = "", text[1000];
  mjSpec* spec = mj_parseXML(path, NULL, error, sizeof(error));
  if (!spec) {
    CF_FAIL("%s: %s\n", path, error);
  }
  mjSpec* copy = mj_copySpec(spec);
  mjModel* m = mj_compile(spec, NULL);
  if (!m) {
    CF_FAIL("%s: %s\n", path, mjs_getError(spec));
  }
  mj_saveXMLString(spec, text, sizeof(text), error, sizeof(error));
  mjData* d = mj_makeData(m);
  mj_forward(m, d);
  mj_deleteData(d);
  mj_deleteModel(m);
  mj_deleteSpec(copy);
  mj_deleteSpec(spec);
}


CF_TEST(spec__used_and_deleted__heap_as_before) {
  const char* folder = CF_SOURCE_DIR "/tests/data/compile";
  DIR* dir = opendir(folder);
  CF_TRUE(dir);
  int count = 0;
  for (struct dirent* entry = readdir(dir); entry; entry = readdir(dir)) {
    const char* dot = strrchr(entry->d_name, '.');
    if (!dot || strcmp(dot, ".xml") != 0) {
      continue;
    }
    char path[1500];
    snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
    useModel(path);  // what is kept on purpose is kept now
    const int before = blocks;
    useModel(path);
    if (blocks != before) {
      CF_FAIL("%s: %d blocks are left\n", entry->d_name, blocks - before);
    }
    count++;
  }
  closedir(dir);
  CF_TRUE(count > 20);
}


// a body of each attached into the other; one of them may be used after the other is deleted
static void attachMutually(int is_second_first) {
  static const char* const text[2] = {
      "<mujoco><worldbody><frame name='f'/><body name='a'><geom size='.1'/><body name='c'/></body>"
      "</worldbody></mujoco>",
      "<mujoco><worldbody><frame name='f'/><body name='b'><joint/><geom size='.1'/></body>"
      "</worldbody><sensor><framepos objtype='body' objname='b'/></sensor></mujoco>"};
  mjSpec *s[2], *third = mj_parseXMLString(text[0], NULL, NULL, 0);
  for (int k = 0; k < 2; k++) {
    s[k] = mj_parseXMLString(text[k], NULL, NULL, 0);
  }
  for (int k = 0; k < 2; k++) {
    mjsElement* part = mjs_findBody(s[1 - k], k ? "a" : "b")->element;
    CF_TRUE(mjs_attach(mjs_findFrame(s[k], "f")->element, part, "p_", "") == part);
  }
  mjsElement* last = mjs_findBody(s[0], "p_b")->element;
  CF_TRUE(mjs_attach(mjs_findFrame(third, "f")->element, last, "q_", "") != NULL);
  mj_deleteSpec(s[is_second_first]);
  mjsBody* body = mjs_findBody(s[1 - is_second_first], is_second_first ? "world" : "p_a");
  mjs_addGeom(body, NULL)->size[0] = 1;
  mj_deleteSpec(s[1 - is_second_first]);
  CF_TRUE(mjs_findBody(third, "q_p_b") != NULL);
  mjModel* m = mj_compile(third, NULL);
  CF_TRUE(m && m->nbody == 4);
  mj_deleteModel(m);
  mj_deleteSpec(third);
}


CF_TEST(spec__two_attached_into_each_other__heap_as_before) {
  for (int k = 0; k < 2; k++) {
    attachMutually(k);  // what is kept on purpose is kept now
    const int before = blocks;
    attachMutually(k);
    CF_EQ_INT(blocks, before);
  }
}


// an error in the middle of making data, after an instance that was made
static int started, raises;

static int startInstance(const mjModel* m, mjData* d, int instance) {
  (void)m;
  (void)d;
  started++;
  if (raises && instance == 1) {
    mju_error("this instance does not start");
  }
  return 0;
}


static void endInstance(mjData* d, int instance) {
  (void)d;
  (void)instance;
  started--;
}


static int noState(const mjModel* m, int instance) {
  (void)m;
  (void)instance;
  return 0;
}


static void doNothing(const mjModel* m, mjData* d, int instance, int capabilities) {
  (void)m;
  (void)d;
  (void)instance;
  (void)capabilities;
}


static void compileReluctant(mjSpec* spec) {
  mjModel* m = mj_compile(spec, NULL);
  CF_TRUE((m == NULL) == raises);
  if (raises) {
    CF_HAS_STR(mjs_getError(spec), "this instance does not start");
  }
  mj_deleteModel(m);
}


CF_TEST(compile__error_of_a_plugin_that_starts__heap_as_before) {
  mjpPlugin plugin;
  mjp_defaultPlugin(&plugin);
  plugin.name = "test.reluctant";
  plugin.capabilityflags = mjPLUGIN_PASSIVE;
  plugin.nstate = noState;
  plugin.init = startInstance;
  plugin.destroy = endInstance;
  plugin.compute = doNothing;
  mjp_registerPlugin(&plugin);
  mjSpec* spec = mj_parseXMLString(
      "<mujoco><extension><plugin plugin='test.reluctant'><instance name='a'/>"
      "<instance name='b'/></plugin></extension><worldbody><body><geom size='1'/>"
      "<plugin instance='a'/></body><body><geom size='1'/><plugin instance='b'/></body>"
      "</worldbody></mujoco>",
      NULL, NULL, 0);
  for (raises = 0; raises < 2; raises++) {
    compileReluctant(spec);
    const int before = blocks;
    started = 0;
    compileReluctant(spec);
    CF_EQ_INT(blocks, before);
    CF_EQ_INT(started, raises);  // the one that raised was never ended
  }
  mj_deleteSpec(spec);
}


CF_TEST_MAIN("spec/leaks")
