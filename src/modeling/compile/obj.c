// OBJ files: vertices, normals, texture coordinates and the faces of the first object or group that
// has any.
//
// Lines end with a line feed, a carriage return or both.  Indices count from one, negative ones
// back from the last item read.  A face with more than three corners is cut into triangles by
// clipping ears in the plane of the two coordinates in which its first corner turns most (Meisters
// 1975); the arithmetic is in single precision and the order of trials is fixed, so the triangles
// are those other programs see that use the same method.  Materials, smoothing groups, lines and
// points do not matter, but an object made of lines or points alone still is the first object.
#include "base/assert.h"
#include "compile/surface.h"
#include "math/libm.h"

#include <float.h>
#include <limits.h>
#include <math.h>

// one corner: vertex, normal, texture coordinate; -1 where there is none
typedef struct {
  int vert, normal, texcoord;
} objCorner;

// array that grows
typedef struct {
  void* item;
  size_t count, room;
} objArray;

// where reading stands
typedef struct {
  cfFileReader* reader;
  objArray vert, normal, texcoord;  // floats
  objArray corner;                  // corners of the faces of the current group, objCorner
  objArray facesize;                // corners per face, ints
  objArray triangle;                // result, three corners each
  bool has_strokes;                 // the current group has lines or points
  bool is_done;                     // the first object is complete
  bool is_crowded;                  // the face that was read last has too many corners
} objReader;

// text of one line, from here to its end
typedef struct {
  const char *at, *end;
} objText;


// room for `count` more items of `size` bytes at the end
static void* growArray(cfPool* pool, objArray* array, size_t count, size_t size) {
  CF_ASSERT(array && size > 0);
  if (array->room - array->count < count) {
    size_t room = array->room ? 2 * array->room : 256;
    while (room - array->count < count) {
      room *= 2;
    }
    void* item = cfi_poolAlloc(pool, room, size);
    if (array->count) {
      memcpy(item, array->item, array->count * size);
    }
    array->item = item;
    array->room = room;
  }
  void* fresh = (char*)array->item + array->count * size;
  array->count += count;
  return fresh;
}


//---------------------------------- numbers -------------------------------------------------------

static bool isObjBlank(char c) {
  return c == ' ' || c == '\t';
}


static void skipSpaces(objText* text) {
  while (text->at < text->end && isObjBlank(*text->at)) {
    text->at++;
  }
}


// a digit at the front of the text: taken, its value; otherwise -1
static int takeDigit(objText* text) {
  if (text->at >= text->end || *text->at < '0' || *text->at > '9') {
    return -1;
  }
  return *text->at++ - '0';
}


// '+' or '-' at the front: taken; the sign as a factor
static int takeSign(objText* text, bool* has_sign) {
  *has_sign = text->at < text->end && (*text->at == '+' || *text->at == '-');
  return *has_sign && *text->at++ == '-' ? -1 : 1;
}


// digits behind the point, added one by one with decreasing weight
static void addFraction(objText* text, double* value) {
  static const double weight[] = {1.0, 0.1, 0.01, 0.001, 0.0001, 0.00001, 0.000001, 0.0000001};
  for (int place = 1, digit; (digit = takeDigit(text)) >= 0; place++) {
    *value += digit * (place < 8 ? weight[place] : cfi_pow(10.0, -place));
  }
}


// power of ten behind 'e'; false when there are no digits
static bool takeExponent(objText* text, int* exponent) {
  enum { HUGE_EXPONENT = 100000 };
  bool has_sign, has_digits = false;
  int sign = takeSign(text, &has_sign), value = 0;
  for (int digit; (digit = takeDigit(text)) >= 0; has_digits = true) {
    value = value > HUGE_EXPONENT ? value : 10 * value + digit;
  }
  *exponent = sign * value;
  return has_digits;
}


// number at the front of a word: [sign] digits [. digits] [e [sign] digits]; false when it does not
// start so
static bool parseNumber(objText word, double* result) {
  bool has_sign, has_digits = false;
  int sign = takeSign(&word, &has_sign), exponent = 0;
  double value = 0;
  const bool starts_with_point = word.at < word.end && *word.at == '.';
  for (int digit; (digit = takeDigit(&word)) >= 0; has_digits = true) {
    value = value * 10 + digit;
  }
  if (!has_digits && !starts_with_point) {
    return false;
  }
  if (word.at < word.end && *word.at == '.') {
    word.at++;
    addFraction(&word, &value);
  }
  if (word.at < word.end && (*word.at == 'e' || *word.at == 'E')) {
    word.at++;
    if (!takeExponent(&word, &exponent)) {
      return false;
    }
  }
  *result = sign * (exponent ? ldexp(value * cfi_pow(5.0, exponent), exponent) : value);
  return true;
}


// next word as a number, zero where there is none
static float takeFloat(objText* text) {
  skipSpaces(text);
  objText word = *text;
  while (text->at < text->end && !isObjBlank(*text->at)) {
    text->at++;
  }
  word.end = text->at;
  double value = 0;
  parseNumber(word, &value);
  return (float)value;
}


// integer at the front of the text, without moving on
static int peekInteger(objText text) {
  while (text.at < text.end && (isObjBlank(*text.at) || (*text.at >= '\n' && *text.at <= '\r'))) {
    text.at++;
  }
  bool has_sign;
  const int sign = takeSign(&text, &has_sign);
  long long value = 0;
  for (int digit; (digit = takeDigit(&text)) >= 0;) {
    value = value > INT_MAX ? value : 10 * value + digit;
  }
  return value > INT_MAX ? 0 : sign * (int)value;
}


//---------------------------------- faces ---------------------------------------------------------

static void skipIndex(objText* text) {
  while (text->at < text->end && *text->at != '/' && !isObjBlank(*text->at)) {
    text->at++;
  }
}


// index counted from zero; false for zero, which names nothing
static bool takeIndex(objText* text, size_t count, int* index) {
  CF_ASSERT(index != NULL);
  const int given = peekInteger(*text);
  *index = given > 0 ? given - 1 : (int)count + given;
  skipIndex(text);
  return given != 0;
}


static bool takeSlash(objText* text) {
  const bool has_slash = text->at < text->end && *text->at == '/';
  text->at += has_slash;
  return has_slash;
}


// vertex, vertex/texcoord, vertex//normal or vertex/texcoord/normal
static bool takeCorner(objReader* obj, objText* text, objCorner* corner) {
  *corner = (objCorner){-1, -1, -1};
  if (!takeIndex(text, obj->vert.count / 3, &corner->vert)) {
    return false;
  }
  if (!takeSlash(text)) {
    return true;
  }
  if (takeSlash(text)) {
    return takeIndex(text, obj->normal.count / 3, &corner->normal);
  }
  if (!takeIndex(text, obj->texcoord.count / 2, &corner->texcoord)) {
    return false;
  }
  return !takeSlash(text) || takeIndex(text, obj->normal.count / 3, &corner->normal);
}


// of a face: cutting takes the square of this many comparisons, the cube at worst
static const size_t most_corners = 4096;


// corners of a face, line or point set; false where an index is wrong, or a face has so many that
// cutting it would take minutes
static bool takeCorners(objReader* obj, objText text, bool is_face) {
  cfPool* pool = obj->reader->pool;
  const size_t before = obj->corner.count;
  skipSpaces(&text);
  while (text.at < text.end) {
    objCorner corner;
    if (!takeCorner(obj, &text, &corner)) {
      return false;
    }
    *(objCorner*)growArray(pool, &obj->corner, 1, sizeof(objCorner)) = corner;
    skipSpaces(&text);
  }
  const size_t count = obj->corner.count - before;
  obj->is_crowded = is_face && count > most_corners;
  if (obj->is_crowded) {
    return false;
  }
  if (is_face && !obj->is_done && count >= 3) {
    *(int*)growArray(pool, &obj->facesize, 1, sizeof(int)) = (int)count;
  } else {
    obj->corner.count = before;
  }
  obj->has_strokes |= !is_face && count > 0;
  return true;
}


//---------------------------------- triangles -----------------------------------------------------

// corners of a face in the plane in which it is cut
typedef struct {
  const objReader* obj;
  objCorner* corner;
  size_t count;
  int axes[2];
  float area;  // signed
} objFace;

typedef struct {
  float x, y;
} objPoint;


// coordinates of a vertex, NULL when there is no such vertex
static const float* vertexAt(const objReader* obj, int index) {
  const bool exists = index >= 0 && (size_t)index < obj->vert.count / 3;
  return exists ? (const float*)obj->vert.item + 3 * (size_t)index : NULL;
}


static const float* cornerVertex(const objFace* face, size_t k) {
  return vertexAt(face->obj, face->corner[k % face->count].vert);
}


static objPoint projectPoint(const objFace* face, const float* vert) {
  return vert ? (objPoint){vert[face->axes[0]], vert[face->axes[1]]} : (objPoint){0, 0};
}


// leave out the coordinate along which the first proper corner's normal is longest
static void chooseAxes(objFace* face) {
  face->axes[0] = 1, face->axes[1] = 2;
  for (size_t k = 0; k < face->count; k++) {
    const float *a = cornerVertex(face, k), *b = cornerVertex(face, k + 1),
                *c = cornerVertex(face, k + 2);
    if (!a || !b || !c) {
      continue;
    }
    const float in[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
    const float out[3] = {c[0] - b[0], c[1] - b[1], c[2] - b[2]};
    const float nx = fabsf(in[1] * out[2] - in[2] * out[1]);
    const float ny = fabsf(in[2] * out[0] - in[0] * out[2]);
    const float nz = fabsf(in[0] * out[1] - in[1] * out[0]);
    if (nx > FLT_EPSILON || ny > FLT_EPSILON || nz > FLT_EPSILON) {
      const bool is_along_x = nx > ny && nx > nz, is_along_z = nz > nx && nz > ny;
      face->axes[0] = is_along_x ? 1 : 0;
      face->axes[1] = is_along_z ? 1 : 2;
      return;
    }
  }
}


static void measureArea(objFace* face) {
  face->area = 0;
  for (size_t k = 0; k < face->count; k++) {
    const float *a = cornerVertex(face, k), *b = cornerVertex(face, k + 1);
    if (a && b) {
      objPoint p = projectPoint(face, a), q = projectPoint(face, b);
      face->area += (p.x * q.y - p.y * q.x) * 0.5f;
    }
  }
}


// is a point inside a triangle: does a ray cross an odd number of sides
static bool isInTriangle(const objPoint corner[3], objPoint point) {
  bool is_inside = false;
  for (int i = 0; i < 3; i++) {
    objPoint p = corner[i], q = corner[(i + 2) % 3];
    if ((p.y > point.y) != (q.y > point.y) &&
        point.x < (q.x - p.x) * (point.y - p.y) / (q.y - p.y) + p.x) {
      is_inside = !is_inside;
    }
  }
  return is_inside;
}


// may the corner behind `first` be cut off: it turns the right way and no other vertex is in the
// way
static bool isEar(const objFace* face, size_t first) {
  objPoint p[3];
  for (size_t k = 0; k < 3; k++) {
    p[k] = projectPoint(face, cornerVertex(face, first + k));
  }
  const float turn = (p[1].x - p[0].x) * (p[2].y - p[1].y) - (p[1].y - p[0].y) * (p[2].x - p[1].x);
  if (turn * face->area < 0) {
    return false;
  }
  for (size_t k = 3; k < face->count; k++) {
    const float* other = cornerVertex(face, first + k);
    if (other && isInTriangle(p, projectPoint(face, other))) {
      return false;
    }
  }
  return true;
}


static void addTriangle(objReader* obj, const objFace* face, size_t first) {
  objCorner* to = (objCorner*)growArray(obj->reader->pool, &obj->triangle, 3, sizeof(objCorner));
  for (size_t k = 0; k < 3; k++) {
    to[k] = face->corner[(first + k) % face->count];
  }
}


// cut ears until a triangle is left, or until a whole round found none
static void triangulate(objReader* obj, objFace* face) {
  chooseAxes(face);
  measureArea(face);
  size_t first = 0, trials = face->count, reached = face->count;
  while (face->count > 3 && trials > 0) {
    first = first >= face->count ? first - face->count : first;
    trials = reached != face->count ? face->count : trials - 1;
    reached = face->count;
    if (!isEar(face, first)) {
      first++;
      continue;
    }
    addTriangle(obj, face, first);
    const size_t cut = (first + 1) % face->count;
    memmove(face->corner + cut, face->corner + cut + 1,
            (face->count - cut - 1) * sizeof(objCorner));
    face->count--;
  }
  if (face->count == 3) {
    addTriangle(obj, face, 0);
  }
}


// a group or object ends; the first one that holds something is the mesh
static void finishGroup(objReader* obj, bool strokes_count) {
  if (!obj->is_done) {
    size_t start = 0;
    for (size_t i = 0; i < obj->facesize.count; i++) {
      const size_t count = (size_t)((const int*)obj->facesize.item)[i];
      objFace face = {obj, (objCorner*)obj->corner.item + start, count, {0, 0}, 0};
      triangulate(obj, &face);
      start += count;
    }
    obj->is_done = obj->triangle.count > 0 || (strokes_count && obj->has_strokes);
  }
  obj->corner.count = obj->facesize.count = 0;
  obj->has_strokes = false;
}


//---------------------------------- lines ---------------------------------------------------------

static void addFloats(objReader* obj, objArray* array, objText text, int count) {
  CF_ASSERT(count > 0);
  float* to = (float*)growArray(obj->reader->pool, array, (size_t)count, sizeof(float));
  for (int k = 0; k < count; k++) {
    to[k] = takeFloat(&text);
  }
}


// does the line start with a keyword and a blank; the text behind them
static bool startsWith(objText line, const char* keyword, objText* rest) {
  const size_t n = strlen(keyword);
  if ((size_t)(line.end - line.at) <= n || memcmp(line.at, keyword, n) != 0 ||
      !isObjBlank(line.at[n])) {
    return false;
  }
  *rest = (objText){line.at + n + 1, line.end};
  return true;
}


static bool readLine(objReader* obj, objText line) {
  objText rest;
  skipSpaces(&line);
  if (startsWith(line, "v", &rest)) {
    addFloats(obj, &obj->vert, rest, 3);
  } else if (startsWith(line, "vn", &rest)) {
    addFloats(obj, &obj->normal, rest, 3);
  } else if (startsWith(line, "vt", &rest)) {
    addFloats(obj, &obj->texcoord, rest, 2);
  } else if (startsWith(line, "f", &rest)) {
    return takeCorners(obj, rest, true);
  } else if (startsWith(line, "l", &rest) || startsWith(line, "p", &rest)) {
    return takeCorners(obj, rest, false);
  } else if (startsWith(line, "g", &rest)) {
    finishGroup(obj, false);
  } else if (startsWith(line, "o", &rest)) {
    finishGroup(obj, true);
  }
  return true;
}


// next line of a file; a zero byte ends its text
static objText takeLine(cfCursor* cursor) {
  const char* start = (const char*)cursor->at;
  size_t n = 0;
  while (n < cursor->left && start[n] != '\n' && start[n] != '\r') {
    n++;
  }
  size_t skip = n + (n < cursor->left);
  skip += n + 1 < cursor->left && start[n] == '\r' && start[n + 1] == '\n';
  const char* zero = (const char*)memchr(start, 0, n);
  cursor->at += skip;
  cursor->left -= skip;
  return (objText){start, zero ? zero : start + n};
}


//---------------------------------- result --------------------------------------------------------

static cfFloats asFloats(const objArray* array) {
  return (cfFloats){(float*)array->item, array->count};
}


// corners as separate index arrays; a mirrored surface has its second and third corners exchanged
static void splitCorners(const objReader* obj, bool is_mirrored, cfSurface* surface) {
  cfPool* pool = obj->reader->pool;
  const size_t count = obj->triangle.count;
  const objCorner* corner = (const objCorner*)obj->triangle.item;
  surface->face = cfi_newInts(pool, count);
  surface->facenormal = cfi_newInts(pool, obj->normal.count ? count : 0);
  surface->facetexcoord = cfi_newInts(pool, obj->texcoord.count ? count : 0);
  for (size_t i = 0; i < count; i++) {
    const size_t from = is_mirrored ? i - i % 3 + (3 - i % 3) % 3 : i;
    surface->face.item[i] = corner[from].vert;
    if (obj->normal.count) {
      surface->facenormal.item[i] = corner[from].normal;
    }
    if (obj->texcoord.count) {
      surface->facetexcoord.item[i] = corner[from].texcoord;
    }
  }
}


bool cfi_readObj(cfFileReader* reader, bool is_mirrored, cfSurface* surface) {
  objReader obj = {.reader = reader};
  cfCursor cursor = {reader->file.data, reader->file.size};
  for (int line = 1; cursor.left; line++) {
    if (!readLine(&obj, takeLine(&cursor))) {
      const char* problem = obj.is_crowded ? "face of more than 4096 corners" : "bad index";
      return cfi_badFile(reader, "could not parse OBJ file '%s': %s in line %d", reader->file.name,
                         problem, line);
    }
  }
  finishGroup(&obj, true);
  surface->vert = asFloats(&obj.vert);
  surface->normal = asFloats(&obj.normal);
  surface->texcoord = asFloats(&obj.texcoord);
  splitCorners(&obj, is_mirrored, surface);

  // textures are stored from top to bottom
  for (size_t i = 1; i < surface->texcoord.count; i += 2) {
    surface->texcoord.item[i] = 1 - surface->texcoord.item[i];
  }
  return true;
}
