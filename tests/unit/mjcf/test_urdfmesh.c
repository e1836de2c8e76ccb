// Meshes of URDF files: where they are found, how they are shared and scaled.  Values recorded with
// MuJoCo 3.5.0.
#include <sys/stat.h>
#include <unistd.h>

#include <mujoco/mujoco.h>

#include "cf_test.h"

static const char tetra[] =
    "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

#define ROBOT(compiler)                                                                           \
  "<robot name='r'><mujoco><compiler " compiler                                                   \
  "/></mujoco><link name='base'><visual><origin xyz='0 0 1'/><geometry>"                          \
  "<mesh filename='package://pkg/meshes/tetra.obj'/></geometry></visual>"                         \
  "<collision><origin xyz='0 0 1' rpy='0 0 1.5707963267948966'/><geometry>"                       \
  "<mesh filename='package://pkg/meshes/tetra.obj' scale='1 2 3'/></geometry></collision></link>" \
  "<link name='arm'><inertial><mass value='2'/>"                                                  \
  "<inertia ixx='.5' iyy='.6' izz='.7' ixy='0' ixz='0' iyz='0'/></inertial>"                      \
  "<collision><geometry><mesh filename='file://tetra.obj' scale='1 2 3'/></geometry></collision>" \
  "<collision><geometry><mesh filename='sub/tetra.obj'/></geometry></collision></link>"           \
  "<joint name='j' type='revolute'><parent link='base'/><child link='arm'/><axis xyz='0 1 0'/>"   \
  "<limit lower='-1' upper='1' effort='3' velocity='1'/></joint></robot>"


static void writeFile(const char* path, const char* text) {
  FILE* out = fopen(path, "w");
  CF_TRUE(out && fputs(text, out) >= 0 && !fclose(out));
}


// the robot and its mesh under the given name, in memory
static mjModel* loadRobot(const char* text, const char* meshfile, char* error, int nerror) {
  mjVFS vfs;
  mj_defaultVFS(&vfs);
  mj_addBufferVFS(&vfs, "robot.urdf", text, (int)strlen(text));
  mj_addBufferVFS(&vfs, meshfile, tetra, (int)sizeof(tetra) - 1);
  mjModel* m = mj_loadXML("robot.urdf", &vfs, error, nerror);
  mj_deleteVFS(&vfs);
  return m;
}


static mjModel* needRobot(const char* text, const char* meshfile) {
  char error[1000] = "";
  mjModel* m = loadRobot(text, meshfile, error, sizeof(error));
  if (!m) {
    CF_FAIL("%s\n", error);
  }
  return m;
}


// paths are stripped, visuals dropped: one mesh per scale of the file, named after it
CF_TEST(urdf_mesh__default_compiler__collision_meshes_by_scale) {
  mjModel* m = needRobot(ROBOT(""), "tetra.obj");
  static const mjtNum scale[6] = {1, 2, 3, 1, 1, 1};
  static const mjtNum pos[9] = {-0.5, 0.25, 1.75, 0.25, 0.5, 0.75, 0.25, 0.25, 0.25};
  static const mjtNum quat[12] = {0.5747383689645245,   0.15577855972411397,  0.05959502125501469,
                                  0.8011599596908805,   0.9729070384154738,   0.15229211959877192,
                                  -0.06801203229001726, 0.16010424220965153,  0.88047623921715,
                                  0.11591689595929515,  -0.27984814233312144, 0.364705199631001};
  CF_EQ_INT(m->nbody, 2);
  CF_EQ_INT(m->ngeom, 3);
  CF_EQ_INT(m->nmesh, 2);
  CF_EQ_INT(mj_name2id(m, mjOBJ_MESH, "tetra"), 0);
  CF_EQ_INT(mj_name2id(m, mjOBJ_MESH, "tetra1"), 1);
  CF_NEAR_ARRAY(m->mesh_scale, scale, 6, 0);
  CF_NEAR_ARRAY(m->geom_pos, pos, 9, 1e-12);
  CF_NEAR_ARRAY(m->geom_quat, quat, 12, 1e-10);
  for (int g = 0; g < 3; g++) {
    CF_EQ_INT(m->geom_type[g], mjGEOM_MESH);
    CF_EQ_INT(m->geom_dataid[g], g == 2);
    CF_EQ_INT(m->geom_contype[g], 1);
  }
  CF_NEAR(m->body_mass[1], 2, 0);
  mj_deleteModel(m);
}


// with visuals the unscaled mesh comes first; whoever uses a scale again gets the first mesh of the
// file
CF_TEST(urdf_mesh__visuals_kept__do_not_collide) {
  mjModel* m = needRobot(ROBOT("discardvisual='false'"), "tetra.obj");
  static const int mesh[4] = {0, 1, 0, 0}, contype[4] = {0, 1, 1, 1}, group[4] = {1, 0, 0, 0};
  CF_EQ_INT(m->ngeom, 4);
  CF_EQ_INT(m->nmesh, 2);
  CF_NEAR_ARRAY(m->mesh_scale, ((mjtNum[6]){1, 1, 1, 1, 2, 3}), 6, 0);
  for (int g = 0; g < 4; g++) {
    CF_EQ_INT(m->geom_dataid[g], mesh[g]);
    CF_EQ_INT(m->geom_contype[g], contype[g]);
    CF_EQ_INT(m->geom_group[g], group[g]);
  }
  mj_deleteModel(m);
}


// a tetrahedron of edges 1, 2, 3: its volume is one, its center a quarter of them
CF_TEST(urdf_mesh__scaled__volume_and_center) {
  mjModel* m = needRobot(ROBOT("inertiafromgeom='true'"), "tetra.obj");
  CF_NEAR_ARRAY(m->mesh_pos, ((mjtNum[6]){0.25, 0.5, 0.75, 0.25, 0.25, 0.25}), 6, 1e-12);
  CF_NEAR(m->body_mass[1], 1000 * (1 + 1 / 6.0), 1e-9);
  mj_deleteModel(m);
}


CF_TEST(urdf_mesh__meshdir__looked_up_there) {
  mjModel* m = needRobot(ROBOT("meshdir='deep'"), "deep/tetra.obj");
  CF_EQ_INT(m->nmesh, 2);
  mj_deleteModel(m);
}


CF_TEST(urdf_mesh__file_missing__message_names_it) {
  char error[1000] = "";
  mjModel* m = loadRobot(ROBOT(""), "other.obj", error, sizeof(error));
  CF_TRUE(m == NULL);
  CF_HAS_STR(error, "tetra.obj");
}


// as robots of ROS have it: the file lies in its package, the bare name leads nowhere
CF_TEST(urdf_mesh__in_its_package__found_though_paths_are_stripped) {
  char folder[] = "/tmp/cf_package_XXXXXX", path[200], error[2000] = "";
  CF_TRUE(mkdtemp(folder) != NULL);
  const char* const below[] = {"arm", "arm/urdf", "arm/meshes"};
  for (int k = 0; k < 3; k++) {
    snprintf(path, sizeof(path), "%s/%s", folder, below[k]);
    CF_EQ_INT(mkdir(path, 0777), 0);
  }
  snprintf(path, sizeof(path), "%s/arm/meshes/tetra.obj", folder);
  writeFile(path, tetra);
  static const char robot[] =
      "<robot name='r'><link name='l'><collision><geometry><mesh filename='%s/meshes/%s.obj'/>"
      "</geometry></collision><collision><geometry><mesh filename='%s/meshes/%s.obj' scale='2 2 2'/>"
      "</geometry></collision></link></robot>";
  static const char* const places[] = {"package://arm", "..", "package://other", "package:/"};
  char text[1000];
  snprintf(path, sizeof(path), "%s/arm/urdf/arm.urdf", folder);
  for (int k = 0; k < 4; k++) {
    snprintf(text, sizeof(text), robot, places[k], "tetra", places[k], "tetra");
    writeFile(path, text);
    mjModel* m = mj_loadXML(path, NULL, error, sizeof(error));
    if (!m) {
      CF_FAIL("%s: %s\n", places[k], error);
    }
    CF_EQ_INT(m->nmesh, 2);
    mj_deleteModel(m);
  }

  // nowhere: all places are named
  snprintf(text, sizeof(text), robot, places[0], "gone", places[0], "gone");
  writeFile(path, text);
  CF_TRUE(mj_loadXML(path, NULL, error, sizeof(error)) == NULL);
  CF_HAS_STR(error, "Error opening file");
  for (int k = 0; k < 3; k++) {
    static const char* const tried[] = {"arm/urdf/gone.obj", "arm/urdf/arm/meshes/gone.obj",
                                        "arm/meshes/gone.obj"};
    char place[300];
    snprintf(place, sizeof(place), "'%s/%s'", folder, tried[k]);
    CF_HAS_STR(error, place);
  }
  const char* listed = strstr(error, "\nlooked for '");
  CF_TRUE(listed != NULL);

  // and each once: folders above may be the one where the program runs
  for (const char* at = listed; (at = strstr(at, "'")); at = strchr(at + 1, '\'') + 1) {
    char place[300];
    snprintf(place, sizeof(place), "%.*s'", (int)strcspn(at + 1, "'") + 1, at);
    CF_TRUE(!strstr(at + strlen(place), place));
  }
}


// a model in another folder, whose parts include more beside themselves
CF_TEST(include__model_by_a_relative_path__files_beside_the_included_one) {
  char folder[] = "/tmp/cf_include_XXXXXX", error[2000] = "", before[1000];
  CF_TRUE(mkdtemp(folder) != NULL && getcwd(before, sizeof(before)) && !chdir(folder));
  CF_TRUE(!mkdir("robot", 0777) && !mkdir("robot/parts", 0777));
  writeFile("robot/robot.xml", "<mujoco><include file='parts/arm.xml'/></mujoco>");
  writeFile(
      "robot/parts/arm.xml",
      "<mujoco><include file='hand.xml'/><asset><mesh name='t' file='tetra.obj'/></asset></mujoco>");
  writeFile("robot/parts/hand.xml",
            "<mujoco><worldbody><geom type='mesh' mesh='t'/></worldbody></mujoco>");
  writeFile("robot/parts/tetra.obj", tetra);
  static const char* const ways[] = {"robot/robot.xml", "./robot/robot.xml",
                                     "robot/../robot/robot.xml"};
  for (int k = 0; k < 3; k++) {
    mjModel* m = mj_loadXML(ways[k], NULL, error, sizeof(error));
    if (!m) {
      CF_FAIL("%s: %s\n", ways[k], error);
    }
    CF_EQ_INT(m->ngeom, 1);
    mj_deleteModel(m);
  }
  CF_TRUE(!chdir("robot"));
  mjModel* m = mj_loadXML("robot.xml", NULL, error, sizeof(error));
  CF_TRUE(m != NULL);
  mj_deleteModel(m);
  unlink("parts/hand.xml");
  CF_TRUE(!chdir("..") && !mj_loadXML("robot/robot.xml", NULL, error, sizeof(error)));
  CF_HAS_STR(error, "robot/parts/hand.xml' ('robot/hand.xml' does not open either)");
  CF_TRUE(!chdir(before));
}


CF_TEST_MAIN("mjcf/urdfmesh")
