// Textures, height fields and skins: recorded pixels, broken files.
#include "asset_support.h"

#include "compile/png.h"

typedef struct {
  const char* name;
  int colorspace;
  uint32_t hash;  // low half of the pixels' hash
} recordedTexture;

// MuJoCo 3.5.0 on tests/data/image/images.xml
static const recordedTexture recorded[] = {
    {"g8_1", 1, 1810241551u},         {"g8_3", 1, 208350531u},
    {"g8_4", 1, 784956269u},          {"g16_1", 1, 2329100225u},
    {"g16_3", 1, 1820317873u},        {"g16_4", 1, 904945459u},
    {"rgb_1", 2, 1053079945u},        {"rgb_3", 2, 1830658966u},
    {"rgb_4", 2, 164445506u},         {"rgba_1", 1, 3632371463u},
    {"rgba_3", 1, 755840617u},        {"rgba_4", 1, 2160715811u},
    {"rgb16_1", 1, 1459717142u},      {"rgb16_3", 1, 1482563627u},
    {"rgb16_4", 1, 1278423129u},      {"ga_1", 1, 186944130u},
    {"ga_3", 1, 4174274970u},         {"ga_4", 1, 250338878u},
    {"g2_1", 1, 1652085141u},         {"g2_3", 1, 845331717u},
    {"g2_4", 1, 316531447u},          {"g1_1", 1, 943147385u},
    {"g1_3", 1, 391607073u},          {"g1_4", 1, 3968151405u},
    {"pal_1", 1, 1922202159u},        {"pal_3", 1, 545608945u},
    {"pal_4", 1, 717936178u},         {"pal4_1", 1, 3043473640u},
    {"pal4_3", 1, 1959732234u},       {"pal4_4", 1, 1789157408u},
    {"gradient_2d", 0, 3547621582u},  {"checker_2d", 0, 1158980459u},
    {"flat_2d", 0, 2657603964u},      {"gradient_cube", 0, 2427489661u},
    {"checker_cube", 0, 3022499689u}, {"flat_cube", 0, 168043179u},
    {"grid", 2, 369404236u},          {"same", 2, 1830658966u},
    {"sides", 2, 1490252764u},
};


CF_TEST(textures__every_kind__recorded_pixels) {
  char error[500] = "";
  mjModel* m = mj_loadXML(CF_SOURCE_DIR "/tests/data/image/images.xml", NULL, error, sizeof(error));
  CF_EQ_STR(error, "");
  CF_EQ_INT(m->ntex, sizeof(recorded) / sizeof(recorded[0]));
  for (int i = 0; i < m->ntex; i++) {
    int id = mj_name2id(m, mjOBJ_TEXTURE, recorded[i].name);
    size_t bytes =
        (size_t)m->tex_width[id] * (size_t)m->tex_height[id] * (size_t)m->tex_nchannel[id];
    CF_EQ_INT(m->tex_colorspace[id], recorded[i].colorspace);
    if ((uint32_t)hashBytes(m->tex_data + m->tex_adr[id], bytes) != recorded[i].hash) {
      CF_FAIL("texture %s differs\n", recorded[i].name);
    }
  }
  CF_TRUE(HASH(m->hfield_data, m->nhfielddata) == 0xff09bba9d32f49bbu);
  mj_deleteModel(m);
}


//---------------------------------- PNG -----------------------------------------------------------

// a committed image in memory
static int loadImageFile(const char* name, unsigned char* data, size_t room) {
  char path[500];
  snprintf(path, sizeof(path), "%s/tests/data/image/%s", CF_SOURCE_DIR, name);
  FILE* file = fopen(path, "rb");
  CF_TRUE(file != NULL);
  size_t size = fread(data, 1, room, file);
  fclose(file);
  return (int)size;
}


static bool decode(const unsigned char* data, size_t size, char* error) {
  cfPool pool = {.blocks = NULL};
  unsigned char* copy = (unsigned char*)malloc(size + !size);
  memcpy(copy, data, size);
  cfFileReader reader = {&pool, {.name = "image", .data = copy, .size = size}, ""};
  cfImage image = {0, 0, false, NULL};
  bool is_good = cfi_readPng(&reader, 3, &image);
  strcpy(error, reader.error);
  cfi_poolFree(&pool);
  free(copy);
  return is_good;
}


CF_TEST(png__cut_anywhere__error) {
  unsigned char data[8192];
  char error[400];
  int size = loadImageFile("rgb.png", data, sizeof(data));
  for (int n = 0; n < size; n++) {
    CF_TRUE(!decode(data, (size_t)n, error));
    CF_HAS_STR(error, "image");
  }
  CF_TRUE(decode(data, (size_t)size, error));
}


CF_TEST(png__flipped_bits__no_crash) {
  unsigned char data[8192];
  char error[400];
  int size = loadImageFile("pal4.png", data, sizeof(data));
  for (int n = 0; n < size; n++) {
    data[n] ^= 0x55;
    decode(data, (size_t)size, error);
    data[n] ^= 0x55;
  }
}


CF_TEST(png__size_that_cannot_be_in_the_file__refused_before_memory) {
  // header of a 60000 x 60000 image with hardly any data
  static const unsigned char data[] = {
      0x89, 'P',  'N',  'G',  '\r', '\n', 0x1a, '\n', 0,    0,   0,   13,   'I',  'H',  'D',
      'R',  0,    0,    0xea, 0x60, 0,    0,    0xea, 0x60, 8,   2,   0,    0,    0,    0xa7,
      0x3c, 0x2f, 0x55, 0,    0,    0,    0,    'I',  'D',  'A', 'T', 0x35, 0xaf, 0x06, 0x1e};
  char error[400];
  CF_TRUE(!decode(data, sizeof(data), error));
}


//---------------------------------- errors --------------------------------------------------------

#define ASSET(text) "<mujoco><asset>" text "</asset><worldbody/></mujoco>"

CF_TEST(textures_and_fields__bad_input__message) {
  static const struct {
    const char *xml, *phrase;
  } cases[] = {
      {ASSET("<texture name='t' type='2d' builtin='flat' height='5'/>"),
       "Invalid width of builtin texture"},
      {ASSET("<texture name='t' type='2d' builtin='flat' width='5'/>"),
       "Invalid height of builtin texture"},
      {ASSET("<texture name='t' type='cube' builtin='flat' width='400000000'/>"), "width"},
      {ASSET("<texture name='t' type='2d' builtin='flat' width='2000000000' height='2000000000'/>"),
       "too large"},
      {ASSET("<texture name='t' type='2d' fileup='f.bin'/>"),
       "Cannot load 2D texture from separate files"},
      {ASSET("<texture name='t' type='cube'/>"), "No cubefiles_"},
      {ASSET("<texture name='t' type='2d' file='f.bin'/>"), "custom binary file format"},
      {ASSET("<texture name='t' type='2d' file='f.bin' content_type='image/xyz'/>"),
       "unsupported content type"},
      {ASSET("<texture name='t' type='2d' file='f.png' content_type='image/png'/>"), "f.png"},
      {ASSET(
           "<texture name='t' type='cube' file='f.bin' gridsize='4 4' gridlayout='............'/>"),
       "grid"},
      {ASSET("<hfield name='h' size='1 1 1 1' file='f.bin'/>"), "hfield"},
      {ASSET("<hfield name='h' size='1 1 1 0' nrow='2' ncol='2'/>"), "not positive in hfield"},
      {ASSET("<hfield name='h' size='1 1 1 1'/>"), "hfield not specified"},
      {ASSET("<skin name='s' file='f.bin'/>"), "Unknown skin file type"},
  };
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    char error[1000] = "";
    mjModel* m =
        compileWithFile(cases[i].xml, "f.bin", "\5\0\0\0\0\0\0\0xyz", 11, error, sizeof(error));
    CF_TRUE(m == NULL);
    CF_HAS_STR(error, cases[i].phrase);
  }
}


CF_TEST(hfield__binary_sizes_that_overflow__rejected) {
  const int sizes[2] = {65536, 65537};
  testFile f = {{0}, 0};
  putBytes(&f, sizes, sizeof(sizes));
  for (int i = 0; i < 65536 / 4096; i++) {
    putFloat(&f, 1);
  }
  char error[1000] = "";
  mjModel* m = compileWithFile(ASSET("<hfield name='h' size='1 1 1 1' file='f.bin'/>"), "f.bin",
                               f.data, f.size, error, sizeof(error));
  CF_TRUE(m == NULL);
  CF_HAS_STR(error, "unexpected file size");
}


// finite elevations whose difference is beyond a float, and such that are merely large
CF_TEST(hfield__range_beyond_float__rejected) {
  char error[1000] = "";
  mjModel* m = compileWithFile(
      ASSET("<hfield name='h' size='1 1 1 1' nrow='1' ncol='3' elevation='-2e38 0 2e38'/>"), NULL,
      NULL, 0, error, sizeof(error));
  CF_TRUE(m == NULL);
  CF_HAS_STR(error, "invalid data range in hfield");
  m = compileText(
      ASSET("<hfield name='h' size='1 1 1 1' nrow='1' ncol='3' elevation='-1e38 0 1e38'/>"));
  CF_NEAR(m->hfield_data[0], 0, 0);
  CF_NEAR(m->hfield_data[1], 0.5, 1e-7);
  CF_NEAR(m->hfield_data[2], 1, 0);
  mj_deleteModel(m);
}


CF_TEST(hfield__flat__zero_not_nan) {
  mjModel* m =
      compileText(ASSET("<hfield name='h' size='1 1 1 1' nrow='2' ncol='2' elevation='7 7 7 7'/>"));
  for (int i = 0; i < 4; i++) {
    CF_NEAR(m->hfield_data[i], 0, 0);
  }
  mj_deleteModel(m);
}


// one pixel wide: there is no gradient, and MuJoCo paints it black
CF_TEST(texture__gradient_of_one_pixel__black) {
  mjModel* m =
      compileText(ASSET("<texture name='t' type='cube' builtin='gradient' width='1' height='6' "
                        "rgb1='.2 .4 .6' rgb2='.9 .8 .7'/>"));
  CF_EQ_INT(m->ntexdata, 18);
  for (int i = 0; i < 18; i++) {
    CF_EQ_INT(m->tex_data[i], 0);
  }
  mj_deleteModel(m);
}


//---------------------------------- skins ---------------------------------------------------------

#define SKIN                                                                        \
  "<mujoco><deformable><skin name='s' file='f.skn'/></deformable><worldbody><body " \
  "name='b'/></worldbody></mujoco>"

// one triangle held by one body
static testFile smallSkin(void) {
  static const int sizes[4] = {3, 0, 1, 1}, face[3] = {0, 1, 2};
  static const char name[40] = "b";
  testFile f = {{0}, 0};
  putBytes(&f, sizes, sizeof(sizes));
  for (int i = 0; i < 9; i++) {
    putFloat(&f, i);
  }
  putBytes(&f, face, sizeof(face));
  putBytes(&f, name, sizeof(name));
  for (int i = 0; i < 7; i++) {
    putFloat(&f, i == 3 ? 2 : 0);
  }
  putInt(&f, 3);
  putBytes(&f, face, sizeof(face));
  for (int i = 0; i < 3; i++) {
    putFloat(&f, 0.5 + i);
  }
  return f;
}


static mjModel* loadSkin(const testFile* f, char* error, int nerror) {
  return compileWithFile(SKIN, "f.skn", f->data, f->size, error, nerror);
}


CF_TEST(skin__file__weights_sum_to_one_and_bind_is_unit) {
  char error[1000] = "";
  testFile f = smallSkin();
  mjModel* m = loadSkin(&f, error, sizeof(error));
  CF_EQ_STR(error, "");
  CF_EQ_INT(m->nskinbonevert, 3);
  CF_NEAR(m->skin_bonevertweight[0], 1, 0);
  CF_NEAR(m->skin_bonebindquat[0], 1, 0);
  mj_deleteModel(m);
}


CF_TEST(skin__any_length_but_its_own__rejected) {
  testFile f = smallSkin();
  int size = f.size;
  for (f.size = 1; f.size < size; f.size++) {
    char error[1000] = "";
    CF_TRUE(loadSkin(&f, error, sizeof(error)) == NULL);
    CF_HAS_STR(error, "SKN");
  }
}


CF_TEST(skin__sizes_whose_products_overflow_32_bits__rejected) {
  // 12 * 357913942 wraps to 8
  static const int sizes[][4] = {{357913942, 0, 1, 1},  {3, 536870912, 1, 1}, {3, 0, 357913942, 1},
                                 {3, 0, 1, 2147483647}, {-1, 0, 1, 1},        {3, 0, 1, 100}};
  for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
    char error[1000] = "";
    testFile f = smallSkin();
    memcpy(f.data, sizes[i], sizeof(sizes[i]));
    CF_TRUE(loadSkin(&f, error, sizeof(error)) == NULL);
    CF_HAS_STR(error, "SKN");
  }
}


CF_TEST(skin__vertex_counts_and_indices_out_of_range__rejected) {
  static const struct { int place, value; } cases[] = {{16 + 36, 3}, {16 + 36, -1}};
  for (size_t i = 0; i < 2; i++) {
    char error[1000] = "";
    testFile f = smallSkin();
    memcpy(f.data + cases[i].place, &cases[i].value, sizeof(int));
    CF_TRUE(loadSkin(&f, error, sizeof(error)) == NULL);
    CF_HAS_STR(error, "does not exist in skin");
  }
}

CF_TEST_MAIN("compile/images")
