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
