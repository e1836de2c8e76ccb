// Paths, VFS, resources, providers, decoders, plugins.
#include "cf_guard.h"
#include "cf_models.h"
#include "cf_test.h"

#include <errno.h>
#include <unistd.h>

#include "base/base64.h"
#include "base/buffer.h"
#include "base/path.h"
#include "base/registry.h"


static void expectJoin(const char* directory, const char* name, const char* expected) {
  char* path = cfi_joinPath(directory, name);
  CF_EQ_STR(path, expected);
  mju_free(path);
}


CF_TEST(path__join__reduced) {
  expectJoin(NULL, "a.xml", "a.xml");
  expectJoin("", "a.xml", "a.xml");
  expectJoin("dir", "a.xml", "dir/a.xml");
  expectJoin("dir/", "a.xml", "dir/a.xml");
  expectJoin("dir", "/a.xml", "/a.xml");
  expectJoin("dir", "c:\\a.xml", "c:\\a.xml");
  expectJoin("x/y", "../a.xml", "x/a.xml");
  expectJoin("x/y", "../../a.xml", "a.xml");
  expectJoin("x", "../../a.xml", "../a.xml");
  expectJoin("..", "../a.xml", "../../a.xml");
  expectJoin("/x/./y", "./a.xml", "/x/y/a.xml");
  expectJoin("x\\y", "a.xml", "x/y/a.xml");
  expectJoin("/", "../a.xml", "/../a.xml");
  CF_EQ_STR(cfi_fileName("a/b\\c.obj"), "c.obj");
  CF_EQ_STR(cfi_fileExtension("a.b.obj"), ".obj");
  CF_EQ_STR(cfi_fileExtension("obj"), "");
}


static int readAs(const char* directory, const char* name, const mjVFS* vfs, const char* expected) {
  char error[200];
  mjResource* r = mju_openResource(directory, name, vfs, error, sizeof(error));
  if (!r) {
    CF_HAS_STR(error, "Error opening file");
    return 0;
  }
  const void* bytes;
  int n = mju_readResource(r, &bytes);
  int same = n == (int)strlen(expected) && !memcmp(bytes, expected, (size_t)n);
  CF_EQ_INT(mju_isModifiedResource(r, r->timestamp), 0);
  CF_TRUE(mju_isModifiedResource(r, "no timestamp") != 0);
  mju_closeResource(r);
  return same;
}


CF_TEST(vfs__buffers__found_by_path_then_by_name) {
  mjVFS vfs;
  mj_defaultVFS(&vfs);
  CF_EQ_INT(mj_addBufferVFS(&vfs, "a/B.txt", "one", 3), 0);
  CF_EQ_INT(mj_addBufferVFS(&vfs, "a/B.txt", "two", 3), 2);
  CF_EQ_INT(mj_addBufferVFS(&vfs, "c.txt", "three", 5), 0);
  CF_EQ_INT(mj_addBufferVFS(&vfs, "empty", NULL, 0), 0);
  CF_TRUE(readAs(NULL, "a/B.txt", &vfs, "one"));
  CF_TRUE(readAs("a", "B.txt", &vfs, "one"));
  CF_TRUE(readAs("somewhere/else", "b.TXT", &vfs, "one"));
  CF_TRUE(readAs(NULL, "c.txt", &vfs, "three"));
  CF_TRUE(readAs(NULL, "empty", &vfs, ""));
  CF_TRUE(!readAs(NULL, "missing.txt", &vfs, ""));
  CF_EQ_INT(mj_deleteFileVFS(&vfs, "a/B.txt"), 0);
  CF_EQ_INT(mj_deleteFileVFS(&vfs, "a/B.txt"), -1);
  CF_EQ_INT(mj_deleteFileVFS(&vfs, NULL), -1);
  CF_TRUE(!readAs(NULL, "a/B.txt", &vfs, ""));

  // a resource that is left open goes with its VFS
  CF_TRUE(mju_openResource(NULL, "c.txt", &vfs, NULL, 0) != NULL);
  mj_deleteVFS(&vfs);
  mj_deleteVFS(&vfs);
}


// why a file is not opened: its path, its folder, a similar name
CF_TEST(resource__not_opened__message_says_what_is_there) {
  char folder[] = "/tmp/cf_missing_XXXXXX", path[100], error[500];
  CF_TRUE(mkdtemp(folder) != NULL);
  snprintf(path, sizeof(path), "%s/Part.stl", folder);
  FILE* file = fopen(path, "w");
  CF_TRUE(file && !fclose(file));
  static const struct {
    const char *name, *said;
  } cases[] = {{"part.STL", "; did you mean 'Part.stl'?"},
               {"Prat.stl", "; did you mean 'Part.stl'?"},
               {"meshes/part.stl", "; there is no folder '"},
               {"Part.stl/part.stl", "Error opening file 'Part.stl/part.stl'"},
               {"unlike", "Error opening file 'unlike'; looked for '/tmp/cf_missing_"}};
  for (size_t k = 0; k < sizeof(cases) / sizeof(cases[0]); k++) {
    CF_TRUE(mju_openResource(folder, cases[k].name, NULL, error, sizeof(error)) == NULL);
    CF_HAS_STR(error, cases[k].said);
  }
  CF_TRUE(!strstr(error, "did you mean"));

  // a short buffer is cut, a long name is no trouble
  CF_TRUE(mju_openResource(folder, "part.STL", NULL, error, 10) == NULL);
  CF_EQ_STR(error, "Error ope");
  char name[6000];
  memset(name, 'x', sizeof(name) - 1);
  name[sizeof(name) - 1] = 0;
  CF_TRUE(mju_openResource(folder, name, NULL, error, sizeof(error)) == NULL);
  unlink(path);
  rmdir(folder);
}


CF_TEST(vfs__same_file_name_in_two_folders__the_newest_serves_a_third) {
  mjVFS vfs;
  mj_defaultVFS(&vfs);
  CF_EQ_INT(mj_addBufferVFS(&vfs, "first/a.xml", "1", 1), 0);
  CF_EQ_INT(mj_addBufferVFS(&vfs, "second/A.xml", "2", 1), 0);
  CF_TRUE(readAs("first", "a.xml", &vfs, "1"));
  CF_TRUE(readAs("third", "a.xml", &vfs, "2"));
  CF_EQ_INT(mj_deleteFileVFS(&vfs, "second/A.xml"), 0);
  CF_TRUE(readAs("third", "a.xml", &vfs, "1"));
  mj_deleteVFS(&vfs);
}


CF_TEST(vfs__repeated_file__told_before_the_disk_is_touched) {
  mjVFS vfs;
  mj_defaultVFS(&vfs);
  CF_EQ_INT(mj_addBufferVFS(&vfs, "a.xml", "1", 1), 0);
  CF_EQ_INT(mj_addFileVFS(&vfs, "no/such/folder", "a.xml"), 2);
  mj_deleteVFS(&vfs);
}


CF_TEST(vfs__missing_file__mounted_empty_as_in_mujoco) {
  mjVFS vfs;
  char error[1000] = "";
  mj_defaultVFS(&vfs);
  CF_EQ_INT(mj_addFileVFS(&vfs, "no/such/folder", "B.xml"), 0);
  CF_EQ_INT(mj_addFileVFS(&vfs, "no/such/folder", "b.xml"), 2);
  CF_TRUE(mj_loadXML("b.xml", &vfs, error, sizeof(error)) == NULL);
  CF_HAS_STR(error, "empty file 'b.xml'");
  CF_EQ_INT(mj_deleteFileVFS(&vfs, "b.xml"), 0);
  CF_EQ_INT(mj_deleteFileVFS(&vfs, "b.xml"), -1);
  CF_EQ_INT(mj_addFileVFS(&vfs, "no/such/folder", NULL), -1);
  mj_deleteVFS(&vfs);
}


CF_TEST(resource__timestamps__seconds_in_base_64_compare_both_ways) {
  mjResource* r = mju_openResource(CF_SOURCE_DIR "/tests/data/mjb", "empty.xml", NULL, NULL, 0);
  CF_TRUE(r);
  int64_t time = 0;
  char stamp[64];
  CF_EQ_INT(mju_decodeBase64((uint8_t*)&time, r->timestamp), 8);
  CF_EQ_INT(mju_isModifiedResource(r, r->timestamp), 0);
  time++;
  mju_encodeBase64(stamp, (uint8_t*)&time, sizeof(time));
  CF_EQ_INT(mju_isModifiedResource(r, stamp), -1);
  time -= 2;
  mju_encodeBase64(stamp, (uint8_t*)&time, sizeof(time));
  CF_EQ_INT(mju_isModifiedResource(r, stamp), 1);
  CF_EQ_INT(mju_isModifiedResource(r, "QQ=="), 1);
  mju_closeResource(r);
}


CF_TEST(resource__without_provider__has_a_folder_and_no_bytes) {
  char name[] = "a/b\\c.xml";
  mjResource r = {.name = name};
  const char* folder;
  const void* bytes;
  int length;
  mju_getResourceDir(&r, &folder, &length);
  CF_EQ_INT(length, 4);
  CF_EQ_INT(mju_readResource(&r, &bytes), -1);
  CF_EQ_INT(mju_isModifiedResource(&r, ""), 1);
  mju_closeResource(&r);
}


CF_TEST(base64__bytes__text_and_back) {
  static const char* const texts[] = {"", "QQ==", "QUI=", "QUJD", "QUJDRA=="};
  for (size_t n = 0; n < 5; n++) {
    char text[16];
    uint8_t bytes[8];
    CF_EQ_INT(mju_encodeBase64(text, (const uint8_t*)"ABCD", n), strlen(texts[n]) + 1);
    CF_EQ_STR(text, texts[n]);
    CF_EQ_INT(mju_isValidBase64(text), n);
    CF_EQ_INT(mju_decodeBase64(bytes, text), n);
    CF_TRUE(!memcmp(bytes, "ABCD", n));
  }
  for (size_t k = 0; k < 5; k++) {
    static const char* const bad[] = {"A", "QQ=", "Q===", "QQ==x", "Q-=="};
    CF_EQ_INT(mju_isValidBase64(bad[k]), 0);
  }
}


CF_TEST(vfs__files__known_by_lower_case_name) {
  mjVFS vfs;
  mj_defaultVFS(&vfs);
  CF_EQ_INT(mj_addFileVFS(&vfs, CF_SOURCE_DIR "/tests/data/mjb", "empty.xml"), 0);
  CF_EQ_INT(mj_addFileVFS(&vfs, CF_SOURCE_DIR "/tests/data/mjb", "empty.xml"), 2);
  CF_EQ_INT(mj_addFileVFS(&vfs, CF_SOURCE_DIR, "tests/data/mjb/EMPTY.xml"), 2);
  CF_TRUE(readAs("any", "Empty.XML", &vfs, "<mujoco/>\n"));
  CF_EQ_INT(mj_deleteFileVFS(&vfs, "Empty.XML"), 0);

  // binary models come through a VFS too
  CF_EQ_INT(mj_addFileVFS(&vfs, CF_SOURCE_DIR "/tests/data/mjb", "rig.mjb"), 0);
  mjModel* m = mj_loadModel("rig.mjb", &vfs);
  CF_TRUE(m != NULL);
  mj_deleteModel(m);
  mj_deleteVFS(&vfs);
  CF_RAISES(mj_mountVFS(NULL, "x", NULL), "null");
  CF_RAISES(mj_defaultVFS(NULL), "null");
}

static int opened, mounted;


static int openFixed(mjResource* r) {
  opened++;
  return strstr(r->name, "absent") == NULL;
}


static int readFixed(mjResource* r, const void** bytes) {
  *bytes = r->name;
  return 3;
}


static void closeFixed(mjResource* r) {
  (void)r;
  opened--;
}


static int mountFixed(mjResource* r) {
  (void)r;
  mounted++;
  return 1;
}


static int unmountFixed(mjResource* r) {
  (void)r;
  mounted--;
  return 1;
}


CF_TEST(provider__scheme__serves_resources) {
  mjpResourceProvider provider;
  mjp_defaultResourceProvider(&provider);
  cf_guardClear();
  provider.prefix = "1bad";
  CF_EQ_INT(mjp_registerResourceProvider(&provider), -1);
  CF_HAS_STR(cf_warning_text, "URI scheme");
  provider.prefix = "cftest";
  CF_EQ_INT(mjp_registerResourceProvider(&provider), -1);
  provider.open = openFixed;
  provider.read = readFixed;
  provider.close = closeFixed;
  provider.mount = mountFixed;
  provider.unmount = unmountFixed;
  int slot = mjp_registerResourceProvider(&provider);
  CF_TRUE(slot > 0);
  CF_EQ_INT(mjp_registerResourceProvider(&provider), slot);
  CF_EQ_INT(mjp_resourceProviderCount(), 1);
  CF_TRUE(mjp_getResourceProvider("CFTEST:x") == mjp_getResourceProviderAtSlot(slot));
  CF_TRUE(mjp_getResourceProvider("other:x") == NULL && mjp_getResourceProvider("none") == NULL);
  CF_TRUE(mjp_getResourceProviderAtSlot(0) == NULL);
  provider.data = &provider;
  CF_RAISES(mjp_registerResourceProvider(&provider), "already registered");

  mjVFS vfs;
  mj_defaultVFS(&vfs);
  mjResource* r = mju_openResource("ignored", "cftest:dir/file", &vfs, NULL, 0);
  CF_TRUE(r != NULL);
  CF_EQ_STR(r->name, "cftest:dir/file");
  const char* dir;
  int ndir;
  mju_getResourceDir(r, &dir, &ndir);
  CF_EQ_INT(ndir, strlen("cftest:dir/"));
  CF_EQ_INT(mju_isModifiedResource(r, "x"), 1);
  mju_closeResource(r);
  CF_TRUE(mju_openResource(NULL, "cftest:absent", &vfs, NULL, 0) == NULL);
  CF_EQ_INT(mounted, 1);

  // mounts serve everything below them
  CF_EQ_INT(mj_mountVFS(&vfs, "pool", mjp_getResourceProviderAtSlot(slot)), 0);
  CF_EQ_INT(mj_mountVFS(&vfs, "pool", mjp_getResourceProviderAtSlot(slot)), 2);
  r = mju_openResource("pool/deep", "er", &vfs, NULL, 0);
  CF_TRUE(r && r->provider == mjp_getResourceProviderAtSlot(slot));
  mju_closeResource(r);
  CF_EQ_INT(mj_unmountVFS(&vfs, "pool"), 0);
  CF_EQ_INT(mj_unmountVFS(&vfs, "pool"), -1);
  mj_deleteVFS(&vfs);
  CF_EQ_INT(mounted, 0);
}


static int canDecode(const mjResource* r) {
  return strlen(r->name) < 10;
}


static mjSpec* decodeNothing(mjResource* r, const mjVFS* vfs) {
  (void)r;
  (void)vfs;
  return NULL;
}


CF_TEST(decoder__type_and_extensions__found_by_either) {
  mjpDecoder decoder;
  mjp_defaultDecoder(&decoder);
  cf_guardClear();
  mjp_registerDecoder(&decoder);
  CF_HAS_STR(cf_warning_text, "callbacks");
  decoder.can_decode = canDecode;
  decoder.decode = decodeNothing;
  mjp_registerDecoder(&decoder);
  CF_HAS_STR(cf_warning_text, "content_type");
  decoder.content_type = "model/test";
  decoder.extension = ".one||.two";
  mjp_registerDecoder(&decoder);
  char name[] = "a.Two", other[] = "a.three", long_name[] = "abcdefghijkl.one";
  mjResource r = {.name = name};
  CF_TRUE(mjp_findDecoder(&r, NULL) != NULL);
  CF_TRUE(mjp_findDecoder(&r, "unknown") != NULL);
  r.name = other;
  CF_TRUE(mjp_findDecoder(&r, "MODEL/test") != NULL);
  CF_TRUE(mjp_findDecoder(&r, "unknown") == NULL);
  r.name = long_name;
  CF_TRUE(mjp_findDecoder(&r, NULL) == NULL);
  CF_TRUE(mju_decodeResource(&r, "unknown", NULL) == NULL);
  CF_HAS_STR(cf_warning_text, "Could not find decoder");
}


CF_TEST(plugin__registry__unique_names_stable_slots) {
  mjpPlugin plugin;
  mjp_defaultPlugin(&plugin);
  CF_RAISES(mjp_registerPlugin(&plugin), "plugin->name is a null pointer");
  plugin.name = "";
  CF_RAISES(mjp_registerPlugin(&plugin), "plugin->name is an empty string");
  plugin.name = "test.plugin";
  const char* attributes[] = {"first", "second"};
  plugin.nattribute = 999;
  CF_RAISES(mjp_registerPlugin(&plugin), "plugin->nattribute exceeds the maximum limit of 255");
  plugin.nattribute = -1;
  CF_RAISES(mjp_registerPlugin(&plugin), "plugin->nattribute is negative");
  plugin.nattribute = 2;
  plugin.attributes = attributes;
  int count = mjp_pluginCount();
  int slot = mjp_registerPlugin(&plugin);
  CF_EQ_INT(slot, count);
  CF_EQ_INT(mjp_registerPlugin(&plugin), slot);
  CF_EQ_INT(mjp_pluginCount(), count + 1);
  int found;
  CF_TRUE(mjp_getPlugin("TEST.plugin", &found) == mjp_getPluginAtSlot(slot));
  CF_EQ_INT(found, slot);
  CF_TRUE(mjp_getPlugin("absent", &found) == NULL);
  CF_EQ_INT(found, -1);
  CF_TRUE(mjp_getPluginAtSlot(-1) == NULL && mjp_getPluginAtSlot(slot + 1) == NULL);
  plugin.capabilityflags = mjPLUGIN_SENSOR;
  CF_RAISES(mjp_registerPlugin(&plugin), "already registered");

  // configuration: strings one behind the other
  char values[] = "10\0twenty";
  int zero = 0;
  mjModel m = {.nplugin = 1,
               .plugin = &slot,
               .plugin_attradr = &zero,
               .plugin_attr = values,
               .npluginattr = sizeof(values)};
  CF_EQ_STR(mj_getPluginConfig(&m, 0, "first"), "10");
  CF_EQ_STR(mj_getPluginConfig(&m, 0, "second"), "twenty");
  CF_TRUE(mj_getPluginConfig(&m, 0, "third") == NULL && mj_getPluginConfig(&m, 1, "first") == NULL);
}


typedef struct {
  char name[20];
} Named;


static bool sameNamed(const void* a, const void* b) {
  return !strcmp(((const Named*)a)->name, ((const Named*)b)->name);
}


static const char* nameOfNamed(const void* object) {
  return ((const Named*)object)->name;
}


static bool copyNamed(void* dest, const void* src) {
  memcpy(dest, src, sizeof(Named));
  return true;
}


static const cfRegistryClass named_class = {"thing",   sizeof(Named), nameOfNamed,
                                            sameNamed, copyNamed,     false};


CF_TEST(registry__many__blocks_that_follow_each_other) {
  enum { MANY = 1000 };
  static cfRegistry registry = CF_REGISTRY_INIT(&named_class);
  Named object;
  const Named* last = NULL;
  int blocks = 0;
  for (int k = 0; k < MANY; k++) {
    snprintf(object.name, sizeof(object.name), "n%d", k);
    CF_EQ_INT(cfi_register(&registry, &object), k);
    const Named* here = (const Named*)cfi_registered(&registry, k);
    blocks += k % CF_REGISTRY_BLOCK == 0;
    CF_TRUE(k % CF_REGISTRY_BLOCK == 0 || here == last + 1);
    last = here;
  }
  CF_EQ_INT(blocks, (MANY + CF_REGISTRY_BLOCK - 1) / CF_REGISTRY_BLOCK);
  CF_EQ_INT(cfi_registeredCount(&registry), MANY);
  CF_EQ_STR(((const Named*)cfi_registered(&registry, 77))->name, "n77");
  CF_TRUE(!cfi_registered(&registry, MANY) && !cfi_registered(&registry, -1));
  int slot = 0;
  CF_TRUE(cfi_findRegistered(&registry, "N999", &slot) == last && slot == MANY - 1);
  CF_TRUE(!cfi_findRegistered(&registry, "n1000", &slot) && slot == -1);
}


static cfRegistry shared_registry = CF_REGISTRY_INIT(&named_class);


// 300 names, each thread starting somewhere else
static void* registerNames(void* start) {
  for (int k = 0; k < 300; k++) {
    Named object;
    snprintf(object.name, sizeof(object.name), "t%d", (k + (int)(size_t)start) % 300);
    const int slot = cfi_register(&shared_registry, &object);
    const Named* there = (const Named*)cfi_registered(&shared_registry, slot);
    if (!there || strcmp(there->name, object.name)) {
      return (void*)1;
    }
  }
  return NULL;
}


CF_TEST(registry__four_threads__each_name_once) {
  pthread_t thread[4];
  for (size_t k = 0; k < 4; k++) {
    CF_EQ_INT(pthread_create(&thread[k], NULL, registerNames, (void*)(75 * k)), 0);
  }
  for (int k = 0; k < 4; k++) {
    void* trouble;
    pthread_join(thread[k], &trouble);
    CF_TRUE(!trouble);
  }
  CF_EQ_INT(cfi_registeredCount(&shared_registry), 300);
}


CF_TEST(plugin_library__missing__error) {
  CF_RAISES(mj_loadPluginLibrary("/no/such/library.so"), "Error loading plugin library");
  mj_loadAllPluginLibraries("/no/such/folder", NULL);
  mj_loadAllPluginLibraries(CF_SOURCE_DIR "/tests/data", NULL);
}

// files of the kernel say they are a page long and give less
CF_TEST(readFile__shorter_than_it_says__an_input_error) {
  const char* short_file = "/sys/devices/system/cpu/online";
  if (access(short_file, R_OK)) {
    return;
  }
  size_t nbyte = 0;
  errno = 0;
  CF_TRUE(!cfi_readFile(short_file, &nbyte));
  CF_EQ_INT(errno, EIO);
}


CF_TEST_MAIN("base/files")
