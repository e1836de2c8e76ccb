// Flexcomps: what they make, by type, and GMSH files in their four forms.  Whole models are
// compared with MuJoCo's in the yardstick; here stand what can be said in closed form, and what is
// refused.
#include <mujoco/mujoco.h>

#include "cf_test.h"

#define WORLD(rest) "<mujoco><worldbody>" rest "</worldbody></mujoco>"

// model with a file in memory beside it; NULL and a message where it is refused
static mjModel* load(const char* text, const char* name, const void* data, int size, char* error,
                     int nerror) {
  mjVFS vfs;
  mj_defaultVFS(&vfs);
  mj_addBufferVFS(&vfs, "model.xml", text, (int)strlen(text));
  if (name) {
    mj_addBufferVFS(&vfs, name, data, size);
  }
  mjModel* m = mj_loadXML("model.xml", &vfs, error, nerror);
  mj_deleteVFS(&vfs);
  return m;
}

static mjModel* need(const char* text, const char* name, const void* data, int size) {
  char error[1000] = "";
  mjModel* m = load(text, name, data, size, error, sizeof(error));
  if (!m) {
    CF_FAIL("%s\n", error);
  }
  return m;
}

static void expectRefusal(const char* text, const char* name, const void* data, int size,
                          const char* phrase) {
  char error[1000] = "";
  mjModel* m = load(text, name, data, size, error, sizeof(error));
  if (m || !strstr(error, phrase)) {
    CF_FAIL("expected '%s', got '%s'\n", phrase, m ? "a model" : error);
  }
}

//---------------------------------- sizes by type -------------------------------------------------

// points, elements and moving bodies of a small one of each type
CF_TEST(flexcomp__every_type__points_elements_and_bodies) {
  static const struct {
    const char* attributes;
    int nvert, nelem, nbody;
  } cases[] = {
      {"type='grid' dim='1' count='4 1 1'", 4, 3, 4},
      {"type='grid' dim='2' count='3 4 1'", 12, 12, 12},
      {"type='grid' dim='3' count='3 3 3'", 27, 48, 27},
      {"type='circle' dim='1' count='6 1 1'", 5, 5, 5},
      {"type='square' count='3 3 1'", 9, 8, 9},
      {"type='disc' count='3 3 1'", 9, 8, 9},
      {"type='box' dim='3' count='3 3 3'", 27, 48, 27},
      {"type='box' dim='2' count='3 3 3'", 25, 40, 25},
      {"type='cylinder' dim='3' count='3 3 3'", 27, 48, 27},
      {"type='ellipsoid' dim='3' count='3 3 3' dof='radial'", 27, 48, 26},
      {"type='grid' dim='3' count='4 4 4' dof='trilinear'", 64, 162, 8},
      {"type='grid' dim='3' count='4 4 4' dof='quadratic'", 64, 162, 27},
      {"type='grid' dim='2' count='3 4 1' rigid='true'", 12, 12, 0},
      {"type='direct' dim='2' point='9 9 9 0 0 0 1 0 0 0 1 0' element='1 2 3'", 3, 1, 3},
  };
  for (size_t k = 0; k < sizeof(cases) / sizeof(cases[0]); k++) {
    char text[1000];
    snprintf(text, sizeof(text),
             WORLD("<flexcomp name='f' radius='.01' spacing='.1 .1 .1' %s>"
                   "<contact selfcollide='none' internal='false'/></flexcomp>"),
             cases[k].attributes);
    mjModel* m = need(text, NULL, NULL, 0);
    CF_EQ_INT(m->nflexvert, cases[k].nvert);
    CF_EQ_INT(m->nflexelem, cases[k].nelem);
    CF_EQ_INT(m->nbody - 1, cases[k].nbody);
    mj_deleteModel(m);
  }
}

// half of the points are pinned; their share of the mass is not there
CF_TEST(flexcomp__pins__points_of_the_parent) {
  mjModel* m = need(WORLD("<body name='b' pos='0 0 1'><flexcomp name='f' type='grid' dim='2'"
                          " count='3 2 1' spacing='.1 .2 .1' radius='.01' mass='6'>"
                          "<pin id='0'/><pin grid='1 1'/><pin gridrange='2 0 2 0'/>"
                          "</flexcomp></body>"),
                    NULL, NULL, 0);
  static const int body[6] = {1, 2, 3, 1, 1, 4};
  CF_EQ_INT(m->nbody, 5);
  for (int i = 0; i < 6; i++) {
    CF_EQ_INT(m->flex_vertbodyid[i], body[i]);
  }
  CF_EQ_INT(mj_name2id(m, mjOBJ_BODY, "f_5"), 4);
  CF_NEAR(m->body_subtreemass[0], 3, 1e-14);
  static const mjtNum corner[3] = {-0.1, -0.1, 0}, free_end[3] = {0.1, 0.1, 0};
  CF_NEAR_ARRAY(m->flex_vert, corner, 3, 1e-15);
  CF_NEAR_ARRAY(m->body_pos + 12, free_end, 3, 1e-15);
  mj_deleteModel(m);
}

//---------------------------------- GMSH ----------------------------------------------------------

#define GMSH WORLD("<flexcomp name='f' type='gmsh' file='t.msh' radius='.01'/>")
#define NODES_41 "$Nodes\n1 4 1 4\n3 1 0 4\n1\n2\n3\n4\n0 0 0\n1 0 0\n0 2 0\n0 0 3\n$EndNodes\n"
#define ELEMENTS_41 "$Elements\n1 1 1 1\n3 1 4 1\n1 1 2 3 4\n$EndElements\n"
#define NODES_22 "$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 2 0\n4 0 0 3\n$EndNodes\n"
#define ELEMENTS_22 "$Elements\n1\n1 4 2 7 7 1 2 3 4\n$EndElements\n"
#define FORMAT(numbers) "$MeshFormat\n" numbers "\n$EndMeshFormat\n"

// a binary file in the making
typedef struct {
  char data[1000];
  int size;
} gmshBytes;

static void put(gmshBytes* b, const void* data, size_t size) {
  memcpy(b->data + b->size, data, size);
  b->size += (int)size;
}

static void putText(gmshBytes* b, const char* text) {
  put(b, text, strlen(text));
}

static void putWide(gmshBytes* b, const int* value, int count) {
  for (int i = 0; i < count; i++) {
    put(b, &(int64_t){value[i]}, sizeof(int64_t));
  }
}

static const double points[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 2, 0}, {0, 0, 3}};

static gmshBytes binary41(void) {
  gmshBytes b = {.size = 0};
  putText(&b, FORMAT("4.1 1 8") "$Nodes\n");
  putWide(&b, (int[]){1, 4, 1, 4}, 4);
  put(&b, (int[]){3, 1, 0}, 3 * sizeof(int));
  putWide(&b, (int[]){4, 1, 2, 3, 4}, 5);
  put(&b, points, sizeof(points));
  putText(&b, "\n$EndNodes\n$Elements\n");
  putWide(&b, (int[]){1, 1, 1, 1}, 4);
  put(&b, (int[]){3, 1, 4}, 3 * sizeof(int));
  putWide(&b, (int[]){1, 1, 1, 2, 3, 4}, 6);
  putText(&b, "\n$EndElements\n");
  return b;
}

static gmshBytes binary22(void) {
  gmshBytes b = {.size = 0};
  putText(&b, FORMAT("2.2 1 8") "$Nodes\n4\n");
  for (int i = 0; i < 4; i++) {
    put(&b, &(int){i + 1}, sizeof(int));
    put(&b, points[i], sizeof(points[i]));
  }
  putText(&b, "\n$EndNodes\n$Elements\n1\n");
  put(&b, (int[]){4, 1, 2, 1, 7, 7, 1, 2, 3, 4}, 10 * sizeof(int));
  putText(&b, "\n$EndElements\n");
  return b;
}

static void expectTetrahedron(const void* data, int size) {
  mjModel* m = need(GMSH, "t.msh", data, size);
  CF_EQ_INT(m->nflexelem, 1);
  CF_EQ_INT(m->flex_dim[0], 3);
  CF_EQ_INT(m->nbody, 5);

  // the compiler turns the element so that its faces look outwards
  static const int turned[4] = {0, 2, 1, 3};
  for (int i = 0; i < 4; i++) {
    CF_EQ_INT(m->flex_elem[i], turned[i]);
    CF_NEAR_ARRAY(m->body_pos + 3 * (i + 1), points[i], 3, 0);
  }
  mj_deleteModel(m);
}

CF_TEST(gmsh__text_and_binary_of_both_versions__same_tetrahedron) {
  static const char text41[] = FORMAT("4.1 0 8") NODES_41 ELEMENTS_41,
                    text22[] = FORMAT("2.2 0 8") NODES_22 ELEMENTS_22;
  const gmshBytes b41 = binary41(), b22 = binary22();
  expectTetrahedron(text41, (int)sizeof(text41) - 1);
  expectTetrahedron(text22, (int)sizeof(text22) - 1);
  expectTetrahedron(b41.data, b41.size);
  expectTetrahedron(b22.data, b22.size);
}

// numbers of two digits: a row of ten points that no element uses, then the corners
CF_TEST(gmsh__more_than_nine_points__found_by_their_numbers) {
  static const char text[] = FORMAT("4.1 0 8")
      "$Nodes\n1 14 1 14\n3 1 0 14\n1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n"
      "0 0 1\n0 0 2\n0 0 3\n0 0 4\n0 0 5\n0 0 6\n0 0 7\n0 0 8\n0 0 9\n0 0 10\n"
      "0 0 0\n1 0 0\n0 2 0\n0 0 3\n$EndNodes\n"
      "$Elements\n1 1 1 1\n3 1 4 1\n1 11 12 13 14\n$EndElements\n";
  mjModel* m = need(GMSH, "t.msh", text, (int)sizeof(text) - 1);
  CF_EQ_INT(m->nflexelem, 1);
  static const int turned[4] = {0, 2, 1, 3};
  for (int i = 0; i < 4; i++) {
    const int body = m->flex_vertbodyid[m->flex_elem[i]];
    CF_NEAR_ARRAY(m->body_pos + 3 * body, points[turned[i]], 3, 0);
  }
  mj_deleteModel(m);
}

CF_TEST(gmsh__bad_file__message_says_why) {
  static const struct {
    const char *text, *phrase;
  } cases[] = {
      {"$Mesh", "XML Error: Error: GMSH file must begin with $MeshFormat"},
      {FORMAT("x"), "Could not read GMSH file header"},
      {FORMAT("3.0 0 8") NODES_41, "Only GMSH file format versions 4.1 and 2.2"},
      {FORMAT("4.1 0 8") ELEMENTS_41, "GMSH file missing $Nodes"},
      {FORMAT("4.1 0 8") NODES_41, "GMSH file missing $Elements"},
      {FORMAT("4.1 0 8") "$Nodes\n1 4\n$EndNodes\n" ELEMENTS_41, "Error reading Nodes header"},
      {FORMAT("4.1 0 8") "$Nodes\n2 4 1 4\n3 1 0 2\n$EndNodes\n" ELEMENTS_41, "in single block"},
      {FORMAT("4.1 0 8") "$Nodes\n1 2 1 2\n3 1 0 2\n1\n3\n0\n$EndNodes\n" ELEMENTS_41,
       "Node tags must be sequential"},
      {FORMAT("4.1 0 8") "$Nodes\n1 1 1 1\n3 1 0 1\n1\n0 x 0\n$EndNodes\n" ELEMENTS_41,
       "Error reading node coordinates"},
      {FORMAT("4.1 0 8") NODES_41 "$Elements\n1 1 1 1\n2 1 2 1\n1 1 2 3\n$EndElements\n",
       "Inconsistent dimensionality in Elements"},
      {FORMAT("4.1 0 8") NODES_41 "$Elements\n1 1 1 1\n3 1 2 1\n1 1 2 3\n$EndElements\n",
       "Element type inconsistent with dimensionality"},
      {FORMAT("4.1 0 8") NODES_41 "$Elements\n1 1 1 1\n3 1 4 1\n1 1 2 3\n$EndElements\n",
       "Error reading Elements"},
      {FORMAT("4.1 0 8") NODES_41 "$Elements\n1 1 1 1\n3 1 4 1\n1 1 2 3 9\n$EndElements\n",
       "number of points is 4"},
      {FORMAT(
           "4.1 0 8") "$Nodes\n1 99999999999 1 99999999999\n3 1 0 99999999999\n$EndNodes\n" ELEMENTS_41,
       "Invalid number of nodes"},
      {FORMAT("2.2 0 8") NODES_22 "$Elements\n1\n1 3 0 1 2 3 4\n$EndElements\n",
       "Invalid number of node tags"},
      {FORMAT("2.2 0 8") NODES_22 "$Elements\n1\n1 4 0 1 2 3 5\n$EndElements\n",
       "Invalid node tag"},
      {FORMAT("2.2 0 8") "$Nodes\nx\n$EndNodes\n" ELEMENTS_22, "Error reading nodes header"},
      {FORMAT("2.2 0 8") NODES_22 "$Elements\n1 4 2 7 7 1 2 3 4\n$EndElements\n",
       "Error reading elements header"},
      {FORMAT("2.2 1 8") "$Nodes\n4\nxxxx\n$EndNodes\n" ELEMENTS_22,
       "Error reading node coordinates"},
  };
  for (size_t k = 0; k < sizeof(cases) / sizeof(cases[0]); k++) {
    expectRefusal(GMSH, "t.msh", cases[k].text, (int)strlen(cases[k].text), cases[k].phrase);
  }
}

//---------------------------------- what is refused -----------------------------------------------

CF_TEST(flexcomp__impossible__message_says_why) {
  static const struct {
    const char *attributes, *children, *phrase;
  } cases[] = {
      {"dim='4'", "", "Invalid dim, must be between 1 and 3"},
      {"count='0 1 1'", "", "Count too small"},
      {"type='box' dim='3' count='3 3 1'", "", "Count too small"},
      {"count='3000 3000 3000'", "", "is too large"},
      {"count='3 3 1' radius='.1'", "", "Spacing must be larger than geometry size"},
      {"count='3 3 1' spacing='.1 .01 .1' radius='.01'", "",
       "Spacing must be larger than geometry size"},
      {"count='3 3 1' spacing='.1 .1 .01' radius='.01'", "",
       "Spacing must be larger than geometry size"},
      {"scale='0 1 1'", "", "Scale must be larger than mjMINVAL"},
      {"mass='0'", "", "Mass and inertiabox must be larger than mjMINVAL"},
      {"euler='1 2 3' zaxis='0 0 1'", "", "multiple orientation specifiers"},
      {"type='sheet'", "", "invalid keyword: 'sheet'"},
      {"dof='2d'", "", "invalid keyword: '2d'"},
      {"count='1 1 1'", "", "No elements were created in grid"},
      {"count='3 3 1'", "<pin range='1'/>", "Pin range number must be multiple of 2"},
      {"count='3 3 1'", "<pin grid='1'/>", "Pin grid number must be multiple of dim"},
      {"count='3 3 1'", "<pin gridrange='1 1'/>", "Pin grid range number of must be"},
      {"type='square' count='3 3 1'", "<pin grid='1 1'/>", "can only be used with grid"},
      {"dim='1' count='3 1 1'", "<pin grid='1'/>", "cannot be used with dim=1"},
      {"count='3 3 1'", "<pin id='9'/>", "pinid out of range"},
      {"count='3 3 1'", "<pin range='0 9'/>", "pinrange out of range"},
      {"count='3 3 1'", "<pin grid='3 0'/>", "pingrid out of range"},
      {"count='3 3 1'", "<pin gridrange='0 0 3 0'/>", "pingridrange out of range"},
      {"type='direct'", "", "Point and element required"},
      {"type='direct' point='0 0' element='0 1 2'", "", "Point size must be a multiple of 3"},
      {"type='direct' point='0 0 0' element='0 1'", "", "Element size must be a multiple of dim+1"},
      {"type='direct' point='0 0 0' element='0 1 2'", "", "element 1 has point id 1"},
      {"type='mesh'", "", "File is required"},
      {"type='gmsh'", "", "File is required"},
      {"type='mesh' dim='3' file='x.obj'", "", "origin must be specified"},
      {"type='mesh' file='x.msh'", "", "x.msh"},
      {"count='3 3 1'", "<edge equality='true'/><elasticity young='1' elastic2d='stretch'/>",
       "elasticity and edge constraints cannot both be present"},
      {"count='3 3 1'", "<plugin plugin='p'/>", "unrecognized plugin 'p'"},
  };
  for (size_t k = 0; k < sizeof(cases) / sizeof(cases[0]); k++) {
    char text[1000];
    const int is_spaced = strstr(cases[k].attributes, "spacing") != NULL;
    snprintf(text, sizeof(text), WORLD("<flexcomp name='f' %s %s>%s</flexcomp>"),
             is_spaced ? "" : "spacing='.1 .1 .1'", cases[k].attributes, cases[k].children);
    expectRefusal(text, NULL, NULL, 0, cases[k].phrase);
  }
  expectRefusal(WORLD("<flexcomp type='grid'/>"), NULL, NULL, 0, "required attribute missing");
  expectRefusal(WORLD("<body><flexcomp name='f' count='3 3 1'/></body>"), NULL, NULL, 0,
                "Parent body must have name");
}

// the model of elasticity stands in the element, and is the flex's
CF_TEST(flexcomp__model_of_elasticity__chosen) {
  mjModel* m = need(WORLD("<flexcomp name='f' dim='3' count='3 3 3' elasticity_model='neo_hookean'>"
                          "<elasticity young='1e3'/></flexcomp>"),
                    NULL, NULL, 0);
  mj_deleteModel(m);
  expectRefusal(WORLD("<flexcomp name='f' dim='3' count='3 3 3' elasticity_model='rubber'/>"), NULL,
                NULL, 0, "unknown model of elasticity 'rubber'");
}

CF_TEST_MAIN("mjcf/flexcomp")
