// Files that a model needs: whatever their names end in, models and includes are read for more.
#include <sys/stat.h>
#include <unistd.h>

#include <mujoco/mujoco.h>

#include "cf_guard.h"
#include "spec/vector.h"

static char folder[100];

static void enterFolder(void) {
  snprintf(folder, sizeof(folder), "/tmp/cf_dependencies_XXXXXX");
  CF_TRUE(mkdtemp(folder) && !chdir(folder));
}


static void leaveFolder(void) {
  char command[200];
  snprintf(command, sizeof(command), "rm -r %s", folder);
  CF_TRUE(!chdir("/") && !system(command));
}


static void writeFile(const char* name, const char* text) {
  FILE* file = fopen(name, "w");
  CF_TRUE(file != NULL);
  fputs(text, file);
  fclose(file);
}


static bool isListed(const cfVec* files, const char* name) {
  for (int i = 0; i < cfi_countStrings(files); i++) {
    if (!strcmp(cfi_text(cfi_strings(files) + i), name)) {
      return true;
    }
  }
  return false;
}


static void expectFiles(const char* model, const char* const* names, int count) {
  cfVec files = {0};
  mju_getXMLDependencies(model, (mjStringVec*)&files);
  CF_EQ_INT(cfi_countStrings(&files), count);
  for (int i = 0; i < count; i++) {
    if (!isListed(&files, names[i])) {
      CF_FAIL("%s is not listed for %s\n", names[i], model);
    }
  }
  cfi_freeMember(&files, CF_MEMBER_STRINGVEC);
}


static const char model_text[] =
    "<mujoco><compiler meshdir='m' assetdir='a'/><include file='part'/><asset><mesh file='x.xml'/>"
    "<texture type='2d' file='y.png'/><hfield file='h'/><model file='sub/child.mjcf'/></asset></mujoco>";
static const char* const needed[] = {"",     "part",           "m/x.xml",     "a/y.png",
                                     "a/h",  "sub/child.mjcf", "sub/n.child", "sub/deep.obj",
                                     "q.png"};

CF_TEST(dependencies__any_extension__models_and_includes_are_read) {
  static const char* const models[] = {"model.xml", "model.mjcf", "model", "model.urdf"};
  enterFolder();
  mkdir("sub", 0700);
  writeFile("part", "<mujoco><asset><texture type='2d' file='q.png'/></asset></mujoco>");
  writeFile("sub/child.mjcf",
            "<mujoco><include file='n.child'/><include file='child.mjcf'/></mujoco>");
  writeFile("sub/n.child", "<mujoco><asset><mesh file='deep.obj'/></asset></mujoco>");
  for (int i = 0; i < 4; i++) {
    const char* names[9];
    memcpy(names, needed, sizeof(names));
    names[0] = models[i];
    writeFile(models[i], model_text);
    expectFiles(models[i], names, 9);
  }
  leaveFolder();
}


CF_TEST(dependencies__what_cannot_be_read__is_an_error_that_names_it) {
  enterFolder();
  cfVec files = {0};
  mjStringVec* list = (mjStringVec*)&files;
  writeFile("miss.xml", "<mujoco><include file='gone.xml'/></mujoco>");
  writeFile("bad.mjcf", "<mujoco><asset>");
  writeFile("outer.xml", "<mujoco><asset><model file='bad.mjcf'/></asset></mujoco>");
  writeFile("empty", "");
  CF_RAISES(mju_getXMLDependencies("none", list), "Problem reading XML file 'none'");
  CF_RAISES(mju_getXMLDependencies("none.mjcf", list), "Problem reading XML file 'none.mjcf'");
  CF_RAISES(mju_getXMLDependencies(".", list), "Problem reading XML file '.'");
  CF_RAISES(mju_getXMLDependencies("empty", list), "Problem reading XML file 'empty'");
  CF_RAISES(mju_getXMLDependencies("miss.xml", list), "Problem reading XML file 'gone.xml'");
  CF_RAISES(mju_getXMLDependencies("bad.mjcf", list), "Problem reading XML file 'bad.mjcf'");
  CF_RAISES(mju_getXMLDependencies("outer.xml", list), "Problem reading XML file 'bad.mjcf'");
  cfi_freeMember(&files, CF_MEMBER_STRINGVEC);
  leaveFolder();
}

CF_TEST_MAIN("mjcf/dependencies")
