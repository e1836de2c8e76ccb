// Readers of mesh files: what they accept, and that broken, truncated or lying files give a
// message.
#include "asset_support.h"

#include "compile/surface.h"

typedef bool (*meshReader)(cfFileReader* reader, bool is_mirrored, cfSurface* surface);

// one reading with its memory
typedef struct {
  cfPool pool;
  cfFileReader reader;
  cfSurface surface;
  bool is_good;
} reading;


static reading readFile(meshReader read, const void* data, size_t size, bool is_mirrored) {
  reading r;
  memset(&r, 0, sizeof(r));

  // exactly as large as the file, so that a sanitizer sees every read beyond it
  unsigned char* copy = (unsigned char*)malloc(size + !size);
  memcpy(copy, data, size);
  r.reader = (cfFileReader){&r.pool, {.name = "file", .data = copy, .size = size}, ""};
  r.is_good = read(&r.reader, is_mirrored, &r.surface);
  free(copy);
  return r;
}


static reading readText(const char* text) {
  return readFile(cfi_readObj, text, strlen(text), false);
}


static void endReading(reading* r) {
  cfi_poolFree(&r->pool);
}


static void expectFaces(const char* text, const int* face, size_t count) {
  reading r = readText(text);
  CF_TRUE(r.is_good);
  CF_EQ_INT(r.surface.face.count, count);
  for (size_t i = 0; i < count; i++) {
    CF_EQ_INT(r.surface.face.item[i], face[i]);
  }
  endReading(&r);
}

#define SQUARE "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n"


//---------------------------------- OBJ -----------------------------------------------------------

CF_TEST(obj__numbers__sign_point_and_exponent) {
  reading r = readText("v -1.5 +2 .25\nv 1e2 -2.5E-1 3e+0\nv 7\nv x y 1e\n");
  const float expected[12] = {-1.5f, 2, 0.25f, 100, -0.25f, 3, 7, 0, 0, 0, 0, 0};
  CF_TRUE(r.is_good);
  CF_EQ_INT(r.surface.vert.count, 12);
  for (int i = 0; i < 12; i++) {
    CF_NEAR(r.surface.vert.item[i], expected[i], 0);
  }
  endReading(&r);
}


CF_TEST(obj__huge_exponent__infinite_not_overflowing) {
  reading r = readText("v 1e99999999999999999999 1e-99999999999999999999 0\n");
  CF_TRUE(r.is_good);
  CF_TRUE(isinf(r.surface.vert.item[0]));
  CF_NEAR(r.surface.vert.item[1], 0, 0);
  endReading(&r);
}


CF_TEST(obj__negative_indices__count_back_from_the_last_vertex) {
  const int face[3] = {0, 2, 3};
  expectFaces(SQUARE "f -4 -2 -1\n", face, 3);
}


CF_TEST(obj__negative_index_beyond_the_first__stays_negative) {
  const int face[3] = {-6, 1, 2};
  expectFaces(SQUARE "f -10 2 3\n", face, 3);
}


CF_TEST(obj__quad__two_triangles) {
  const int face[6] = {0, 1, 2, 0, 2, 3};
  expectFaces(SQUARE "f 1 2 3 4\n", face, 6);
}


CF_TEST(obj__concave_polygon__no_triangle_outside) {
  // an arrow head: the ear at the notch must not be cut
  reading r = readText("v 0 0 0\nv 2 1 0\nv 0 2 0\nv 1 1 0\nf 1 2 3 4\n");
  CF_EQ_INT(r.surface.face.count, 6);
  double area = 0;
  for (int i = 0; i < 6; i += 3) {
    const float* v[3];
    for (int k = 0; k < 3; k++) {
      v[k] = r.surface.vert.item + 3 * r.surface.face.item[i + k];
    }
    double twice =
        (v[1][0] - v[0][0]) * (v[2][1] - v[0][1]) - (v[1][1] - v[0][1]) * (v[2][0] - v[0][0]);
    CF_TRUE(twice > 0);
    area += twice / 2;
  }
  CF_NEAR(area, 1, 1e-12);
  endReading(&r);
}


// white space that ends no line is part of a word, and skipped in front of a number
CF_TEST(obj__form_feed_in_front_of_an_index__skipped) {
  const int face[3] = {0, 1, 2};
  expectFaces(SQUARE "f 1 \f2 \v3\n", face, 3);
}


// a bow tie whose halves cancel: every corner may be cut off, as recorded with MuJoCo 3.5.0
CF_TEST(obj__polygon_without_area__cut_from_the_first_corner) {
  const int face[9] = {0, 1, 2, 2, 3, 4, 0, 2, 4};
  expectFaces("v 0 0 .5\nv 1 1 .5\nv 1 0 .5\nv 0 1 .5\nv 0 .5 .5\nf 1 2 3 4 5\n", face, 9);
}


CF_TEST(obj__several_objects__first_with_faces) {
  const int face[3] = {0, 1, 2};
  expectFaces("o a\n" SQUARE "g b\nf 1 2 3\ng c\nf 2 3 4\n", face, 3);
}


CF_TEST(obj__line_ends__all_three_kinds) {
  const int face[3] = {0, 1, 2};
  expectFaces("v 0 0 0\rv 1 0 0\r\nv 0 1 0\nf 1 2 3", face, 3);
}


CF_TEST(obj__texture_coordinates_and_normals__own_indices) {
  reading r = readText(SQUARE "vt 0 .25\nvt 1 1\nvn 0 0 1\nf 1/2/1 2/1/1 3/2/-1\nf 1//1 3 4/1\n");
  const int texcoord[6] = {1, 0, 1, -1, -1, 0}, normal[6] = {0, 0, 0, 0, -1, -1};
  CF_NEAR(r.surface.texcoord.item[1], 0.75, 0);
  for (int i = 0; i < 6; i++) {
    CF_EQ_INT(r.surface.facetexcoord.item[i], texcoord[i]);
    CF_EQ_INT(r.surface.facenormal.item[i], normal[i]);
  }
  endReading(&r);
}


CF_TEST(obj__mirrored__triangles_reversed) {
  const char text[] = SQUARE "f 1 2 3\n";
  reading r = readFile(cfi_readObj, text, strlen(text), true);
  CF_EQ_INT(r.surface.face.item[1], 2);
  CF_EQ_INT(r.surface.face.item[2], 1);
  endReading(&r);
}


CF_TEST(obj__bad_indices__message_with_line) {
  static const char* const bad[] = {SQUARE "f 1 2 0\n", SQUARE "f 1 2 x\n",
                                    SQUARE "f 99999999999999999999 1 2\n"};
  for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
    reading r = readText(bad[i]);
    CF_TRUE(!r.is_good);
    CF_HAS_STR(r.reader.error, "line 5");
    endReading(&r);
  }
}


CF_TEST(obj__cut_anywhere__no_read_beyond_the_end) {
  const char text[] = "o a\n" SQUARE "vt 0 .25\nvn 0 0 1e1\nf 1/1/1 2//1 -1/-1/-1 4\nl 1 2\np 1\n";
  for (size_t size = 0; size < sizeof(text); size++) {
    reading r = readFile(cfi_readObj, text, size, false);

    // whole vertices, never more than the text has; a message where it was refused
    CF_TRUE(r.surface.vert.count % 3 == 0 && r.surface.vert.count <= 12);
    CF_EQ_INT(r.is_good, r.reader.error[0] == 0);
    endReading(&r);
  }
}


//---------------------------------- STL -----------------------------------------------------------

// two triangles over a square
static testFile squareStl(void) {
  static const float corner[2][9] = {{0, 0, 0, 1, 0, 0, 1, 1, 0}, {0, 0, -0.0f, 1, 1, 0, 0, 1, 0}};
  testFile f = {{0}, 80};
  putInt(&f, 2);
  for (int i = 0; i < 2; i++) {
    const float normal[3] = {0, 0, 1};
    putBytes(&f, normal, sizeof(normal));
    putBytes(&f, corner[i], sizeof(corner[i]));
    putBytes(&f, "\0\0", 2);
  }
  return f;
}


CF_TEST(stl__repeated_corners__shared_in_order_of_appearance) {
  testFile f = squareStl();
  reading r = readFile(cfi_readStl, f.data, (size_t)f.size, false);
  const int face[6] = {0, 1, 2, 0, 2, 3};
  CF_TRUE(r.is_good);
  CF_EQ_INT(r.surface.vert.count, 12);
  for (int i = 0; i < 6; i++) {
    CF_EQ_INT(r.surface.face.item[i], face[i]);
  }
  endReading(&r);
}


CF_TEST(stl__any_length_but_its_own__rejected) {
  testFile f = squareStl();
  for (int size = 0; size < f.size; size++) {
    reading r = readFile(cfi_readStl, f.data, (size_t)size, false);
    CF_TRUE(!r.is_good && r.reader.error[0]);
    endReading(&r);
  }
}


CF_TEST(stl__face_counts_that_overflow__rejected) {
  static const int counts[] = {-1, 0, 200001, 85899346, 2147483647};
  for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
    testFile f = squareStl();
    memcpy(f.data + 80, &counts[i], sizeof(int));
    reading r = readFile(cfi_readStl, f.data, (size_t)f.size, false);
    CF_HAS_STR(r.reader.error, "number of faces should be between 1 and 200000 in STL file");
    endReading(&r);
  }
}


CF_TEST(stl__ascii__hint) {
  const char text[] =
      "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 "
      "0\nendloop\nendfacet\n";
  reading r = readFile(cfi_readStl, text, strlen(text), false);
  CF_HAS_STR(r.reader.error, "perhaps this is an ASCII file?");
  endReading(&r);
}


CF_TEST(stl__coordinates_out_of_bounds__rejected) {
  const float bad[] = {3e9f, -2e9f, INFINITY, NAN};
  for (size_t i = 0; i < 4; i++) {
    testFile f = squareStl();
    memcpy(f.data + 84 + 12, &bad[i], sizeof(float));
    reading r = readFile(cfi_readStl, f.data, (size_t)f.size, false);
    CF_TRUE(!r.is_good && r.reader.error[0]);
    endReading(&r);
  }
}


//---------------------------------- MSH -----------------------------------------------------------

static testFile tetraMsh(void) {
  static const int sizes[4] = {4, 4, 4, 4};
  testFile f = {{0}, 0};
  putBytes(&f, sizes, sizeof(sizes));
  for (int i = 0; i < 12 + 12 + 8; i++) {
    putFloat(&f, i);
  }
  const int face[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
  putBytes(&f, face, sizeof(face));
  return f;
}


CF_TEST(msh__all_parts__read_in_order) {
  testFile f = tetraMsh();
  reading r = readFile(cfi_readMsh, f.data, (size_t)f.size, true);
  CF_TRUE(r.is_good);
  CF_NEAR(r.surface.vert.item[11], 11, 0);
  CF_NEAR(r.surface.normal.item[0], 12, 0);
  CF_NEAR(r.surface.texcoord.item[7], 31, 0);
  CF_EQ_INT(r.surface.face.item[1], 1);

  // indices of normals are those of the file, mirrored or not
  CF_EQ_INT(r.surface.facenormal.item[1], 2);
  endReading(&r);
}


CF_TEST(msh__any_length_but_its_own__rejected) {
  testFile f = tetraMsh();
  for (int size = 0; size < f.size; size++) {
    reading r = readFile(cfi_readMsh, f.data, (size_t)size, false);
    CF_TRUE(!r.is_good && r.reader.error[0]);
    endReading(&r);
  }
}


CF_TEST(msh__sizes_that_overflow_32_bits__rejected) {
  static const int sizes[][4] = {{3, 0, 0, 0},         {4, 5, 0, 0},       {4, 0, 3, 0},
                                 {4, 0, 0, -1},        {1 << 30, 0, 0, 0}, {4, 0, 0, 357913942},
                                 {715827883, 0, 0, 0}, {-4, -4, -4, -4},   {2147483647, 0, 0, 0}};
  for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
    testFile f = tetraMsh();
    memcpy(f.data, sizes[i], sizeof(sizes[i]));
    reading r = readFile(cfi_readMsh, f.data, (size_t)f.size, false);
    CF_TRUE(!r.is_good && r.reader.error[0]);
    endReading(&r);
  }
}


//---------------------------------- content types -------------------------------------------------

CF_TEST(contentType__given_or_by_extension) {
  cfPool pool = {.blocks = NULL};
  CF_EQ_STR(cfi_contentType(&pool, "", "a/b.STL"), "model/stl");
  CF_EQ_STR(cfi_contentType(&pool, "", "a/b.xyz"), "");
  CF_EQ_STR(cfi_contentType(&pool, "", "stl"), "");
  CF_EQ_STR(cfi_contentType(&pool, "model/obj", "b.stl"), "model/obj");
  CF_EQ_STR(cfi_contentType(&pool, "model/obj;q=1", "b.stl"), "model/obj");
  CF_EQ_STR(cfi_contentType(&pool, "model/", "b.stl"), "");
  CF_EQ_STR(cfi_contentType(&pool, "model;a=b/c", "b.stl"), "");
  cfi_poolFree(&pool);
}

CF_TEST_MAIN("compile/meshfiles")
