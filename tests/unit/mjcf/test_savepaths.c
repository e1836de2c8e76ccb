// Files of attached models in saved texts: as they were given where that leads to the same file
// from the place of the text, relative within its folder, else with the full path.
#include <sys/stat.h>
#include <unistd.h>

#include <mujoco/mujoco.h>

#include "cf_test.h"

static char folder[100];

static void writeFile(const char* name, const char* text) {
  FILE* file = fopen(name, "w");
  CF_TRUE(file != NULL);
  fputs(text, file);
  fclose(file);
}


static void enterFolder(void) {
  snprintf(folder, sizeof(folder), "/tmp/cf_savepaths_XXXXXX");
  CF_TRUE(mkdtemp(folder) && !chdir(folder));
  mkdir("sub", 0700);
  mkdir("sub/deep", 0700);
  mkdir("assets", 0700);
}


static void leaveFolder(void) {
  char command[200];
  snprintf(command, sizeof(command), "rm -r %s", folder);
  CF_TRUE(!chdir("/") && !system(command));
}


// the value of the mesh's attribute `file` in a text
static void expectFile(const char* text, const char* expected) {
  char wanted[1000];
  snprintf(wanted, sizeof(wanted), "file=\"%s\"", expected);
  CF_HAS_STR(text, wanted);
}


static void expectFileIn(const char* path, const char* expected) {
  char text[4000] = "";
  FILE* file = fopen(path, "r");
  CF_TRUE(file && fread(text, 1, sizeof(text) - 1, file) > 0);
  fclose(file);
  expectFile(text, expected);
  mjModel* m = mj_loadXML(path, NULL, NULL, 0);
  CF_TRUE(m && m->nmesh == 1);
  mj_deleteModel(m);
}


typedef struct {
  const char *settings, *child, *child_settings, *mesh, *beside, *below;
} Case;

// a mesh of a child, as a text beside the parent and one in the folder sub name it; NULL: full path
static const Case cases[] = {
    {"", "child.xml", "", "cube.obj", "cube.obj", NULL},
    {"", "child.xml", "meshdir='sub'", "cube.obj", "sub/cube.obj", "cube.obj"},
    {"", "sub/child.xml", "", "cube.obj", "sub/cube.obj", "cube.obj"},
    {"", "sub/child.xml", "", "deep/cube.obj", "sub/deep/cube.obj", "deep/cube.obj"},
    {"", "sub/child.xml", "assetdir='..'", "cube.obj", "cube.obj", NULL},
    {"meshdir='assets'", "sub/child.xml", "", "cube.obj", "../sub/cube.obj", "../cube.obj"},
    {"meshdir='assets'", "child.xml", "meshdir='assets'", "cube.obj", "cube.obj", NULL},
};

static void tryCase(const Case* c) {
  char text[1000], full[1000], string[4000];
  const char* shape = "v 0 0 0\nv 0 0 1\nv 0 1 0\nv 1 0 0\nf 1 2 3\nf 1 2 4\nf 1 3 4\nf 2 3 4\n";
  enterFolder();
  writeFile("cube.obj", shape);
  writeFile("sub/cube.obj", shape);
  writeFile("sub/deep/cube.obj", shape);
  writeFile("assets/cube.obj", shape);
  snprintf(text, sizeof(text),
           "<mujoco model='c'><compiler %s/><asset><mesh name='m' file='%s'/></asset><worldbody>"
           "<body name='b'><geom type='mesh' mesh='m'/></body></worldbody></mujoco>",
           c->child_settings, c->mesh);
  writeFile(c->child, text);
  snprintf(text, sizeof(text),
           "<mujoco><compiler %s/><asset><model name='c' file='%s'/></asset><worldbody><attach "
           "model='c' body='b' prefix='x'/></worldbody></mujoco>",
           c->settings, c->child);
  writeFile("parent.xml", text);
  mjSpec* spec = mj_parseXML("parent.xml", NULL, NULL, 0);
  mjModel* m = mj_compile(spec, NULL);
  if (!m) {
    CF_FAIL("%s: %s\n", c->child, mjs_getError(spec));
  }
  CF_EQ_INT(mj_saveXMLString(spec, string, sizeof(string), NULL, 0), 0);
  expectFile(string, c->beside);
  CF_EQ_INT(mj_saveXML(spec, "beside.xml", NULL, 0), 0);
  expectFileIn("beside.xml", c->beside);
  CF_EQ_INT(mj_saveXML(spec, "sub/below.xml", NULL, 0), 0);
  snprintf(full, sizeof(full), "%s/%s%s", folder, c->settings[0] ? "assets/" : "", c->mesh);
  expectFileIn("sub/below.xml", c->below ? c->below : full);
  mj_deleteModel(m);
  mj_deleteSpec(spec);
  leaveFolder();
}

CF_TEST(save__files_of_attached_models__lead_to_the_same_files) {
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    tryCase(cases + i);
  }
}

CF_TEST_MAIN("mjcf/savepaths")
