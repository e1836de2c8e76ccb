// Names of object types, byte counts, bounded copies, printing of matrices.
#include <stdio.h>
#include <string.h>

#include <mujoco/mujoco.h>

// object types in the order of mjtObj; the frame is outside the run and has a name but no lookup
static const char* const object_names[mjNOBJECT] = {
    [mjOBJ_BODY] = "body",         [mjOBJ_XBODY] = "xbody",       [mjOBJ_JOINT] = "joint",
    [mjOBJ_DOF] = "dof",           [mjOBJ_GEOM] = "geom",         [mjOBJ_SITE] = "site",
    [mjOBJ_CAMERA] = "camera",     [mjOBJ_LIGHT] = "light",       [mjOBJ_FLEX] = "flex",
    [mjOBJ_MESH] = "mesh",         [mjOBJ_SKIN] = "skin",         [mjOBJ_HFIELD] = "hfield",
    [mjOBJ_TEXTURE] = "texture",   [mjOBJ_MATERIAL] = "material", [mjOBJ_PAIR] = "pair",
    [mjOBJ_EXCLUDE] = "exclude",   [mjOBJ_EQUALITY] = "equality", [mjOBJ_TENDON] = "tendon",
    [mjOBJ_ACTUATOR] = "actuator", [mjOBJ_SENSOR] = "sensor",     [mjOBJ_NUMERIC] = "numeric",
    [mjOBJ_TEXT] = "text",         [mjOBJ_TUPLE] = "tuple",       [mjOBJ_KEY] = "key",
    [mjOBJ_PLUGIN] = "plugin",
};

const char* mju_type2Str(int type) {
  if (type == mjOBJ_FRAME) {
    return "frame";
  }
  return type >= 0 && type < mjNOBJECT ? object_names[type] : NULL;
}


int mju_str2Type(const char* str) {
  for (int type = 0; str && type < mjNOBJECT; type++) {
    if (object_names[type] && strcmp(str, object_names[type]) == 0) {
      return type;
    }
  }
  return mjOBJ_UNKNOWN;
}


// whole number of the largest unit that divides the count
const char* mju_writeNumBytes(size_t nbytes) {
  static _Thread_local char text[24];
  static const char* const unit[] = {"", "K", "M", "G", "T", "P", "E"};
  int k = 0;
  while (k < 6 && nbytes && nbytes % 1024 == 0) {
    nbytes /= 1024;
    k++;
  }
  snprintf(text, sizeof(text), "%zu%s", nbytes, unit[k]);
  return text;
}


// copy at most n-1 characters and terminate; the rest of dst is filled with zeros
char* mju_strncpy(char* dst, const char* src, int n) {
  if (dst && src && n > 0) {
    const size_t length = strnlen(src, (size_t)n - 1);
    memcpy(dst, src, length);
    memset(dst + length, 0, (size_t)n - length);
  }
  return dst;
}


void mju_printMat(const mjtNum* mat, int nr, int nc) {
  for (int k = 0; k < nr * nc; k++) {
    printf("%.8f %s", mat[k], (k + 1) % nc == 0 ? "\n" : "");
  }
  puts("");
}


void mju_printMatSparse(const mjtNum* mat, int nr, const int* rownnz, const int* rowadr,
                        const int* colind) {
  for (int r = 0; r < nr; r++) {
    const int end = rowadr[r] + rownnz[r];
    for (int k = rowadr[r]; k < end; k++) {
      printf("(%d %d): %9.6f  ", r, colind[k], mat[k]);
    }
    puts("");
  }
  puts("");
}
