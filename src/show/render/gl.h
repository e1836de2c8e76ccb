// OpenGL as the renderer uses it: types, constants and a table of functions that is filled at run
// time from whatever OpenGL the program has loaded.  Nothing of OpenGL is needed to build or to
// link.
#ifndef CF_RENDER_GL_H
#define CF_RENDER_GL_H

#include <stdbool.h>
#include <stddef.h>

#include <mujoco/mjtnum.h>

typedef unsigned int GLenum;
typedef unsigned int GLbitfield;
typedef unsigned int GLuint;
typedef unsigned char GLboolean;
typedef unsigned char GLubyte;
typedef int GLint;
typedef int GLsizei;
typedef float GLfloat;
typedef double GLdouble;
typedef ptrdiff_t GLsizeiptr;

// what the driver calls with a message (KHR_debug)
typedef void (*cfGlDebug)(GLenum source, GLenum type, GLuint id, GLenum severity, GLsizei length,
                          const char* message, const void* user);

// values of the registry; one list for all that is passed as GLenum or GLbitfield
// clang-format off
enum {
  GL_ALPHA_TEST = 0x0BC0,
  GL_ALWAYS = 0x0207,
  GL_AMBIENT = 0x1200,
  GL_AMBIENT_AND_DIFFUSE = 0x1602,
  GL_ARRAY_BUFFER = 0x8892,
  GL_BACK = 0x0405,
  GL_BACK_LEFT = 0x0402,
  GL_BACK_RIGHT = 0x0403,
  GL_BLEND = 0x0BE2,
  GL_CCW = 0x0901,
  GL_CLAMP_TO_EDGE = 0x812F,
  GL_CLIP_PLANE0 = 0x3000,
  GL_COLOR_ATTACHMENT0 = 0x8CE0,
  GL_COLOR_BUFFER_BIT = 0x4000,
  GL_COLOR_MATERIAL = 0x0B57,
  GL_COMPARE_R_TO_TEXTURE = 0x884E,
  GL_COMPILE = 0x1300,
  GL_CONSTANT_ATTENUATION = 0x1207,
  GL_CULL_FACE = 0x0B44,
  GL_CW = 0x0900,
  GL_DEBUG_OUTPUT = 0x92E0,
  GL_DEPTH24_STENCIL8 = 0x88F0,
  GL_DEPTH32F_STENCIL8 = 0x8CAD,
  GL_DEPTH_ATTACHMENT = 0x8D00,
  GL_DEPTH_BUFFER_BIT = 0x0100,
  GL_DEPTH_COMPONENT = 0x1902,
  GL_DEPTH_STENCIL = 0x84F9,
  GL_DEPTH_STENCIL_ATTACHMENT = 0x821A,
  GL_DEPTH_TEST = 0x0B71,
  GL_DEPTH_TEXTURE_MODE = 0x884B,
  GL_DIFFUSE = 0x1201,
  GL_DOUBLEBUFFER = 0x0C32,
  GL_DRAW_FRAMEBUFFER = 0x8CA9,
  GL_ELEMENT_ARRAY_BUFFER = 0x8893,
  GL_EMISSION = 0x1600,
  GL_ENABLE_BIT = 0x2000,
  GL_EQUAL = 0x0202,
  GL_EXTENSIONS = 0x1F03,
  GL_EYE_LINEAR = 0x2400,
  GL_EYE_PLANE = 0x2502,
  GL_FILL = 0x1B02,
  GL_FLAT = 0x1D00,
  GL_FLOAT = 0x1406,
  GL_FOG = 0x0B60,
  GL_FOG_COLOR = 0x0B66,
  GL_FOG_COORD_SRC = 0x8450,
  GL_FOG_END = 0x0B64,
  GL_FOG_HINT = 0x0C54,
  GL_FOG_MODE = 0x0B65,
  GL_FOG_START = 0x0B63,
  GL_FRAGMENT_DEPTH = 0x8452,
  GL_FRAMEBUFFER = 0x8D40,
  GL_FRAMEBUFFER_COMPLETE = 0x8CD5,
  GL_FRAMEBUFFER_UNDEFINED = 0x8219,
  GL_FRONT = 0x0404,
  GL_FRONT_AND_BACK = 0x0408,
  GL_FRONT_LEFT = 0x0400,
  GL_FRONT_RIGHT = 0x0401,
  GL_GEQUAL = 0x0206,
  GL_INTENSITY = 0x8049,
  GL_KEEP = 0x1E00,
  GL_LIGHT0 = 0x4000,
  GL_LIGHTING = 0x0B50,
  GL_LIGHTING_BIT = 0x0040,
  GL_LIGHT_MODEL_AMBIENT = 0x0B53,
  GL_LIGHT_MODEL_LOCAL_VIEWER = 0x0B51,
  GL_LIGHT_MODEL_TWO_SIDE = 0x0B52,
  GL_LINE = 0x1B01,
  GL_LINEAR = 0x2601,
  GL_LINEAR_ATTENUATION = 0x1208,
  GL_LINEAR_MIPMAP_LINEAR = 0x2703,
  GL_LINES = 0x0001,
  GL_LINE_LOOP = 0x0002,
  GL_LINE_STRIP = 0x0003,
  GL_LOWER_LEFT = 0x8CA1,
  GL_LUMINANCE = 0x1909,
  GL_MAX_LIGHTS = 0x0D31,
  GL_MAX_RENDERBUFFER_SIZE = 0x84E8,
  GL_MAX_SAMPLES = 0x8D57,
  GL_MODELVIEW = 0x1700,
  GL_MODELVIEW_MATRIX = 0x0BA6,
  GL_MODULATE = 0x2100,
  GL_MULTISAMPLE = 0x809D,
  GL_NEAREST = 0x2600,
  GL_NICEST = 0x1102,
  GL_NONE = 0x0000,
  GL_NORMALIZE = 0x0BA1,
  GL_NORMAL_ARRAY = 0x8075,
  GL_OBJECT_LINEAR = 0x2401,
  GL_OBJECT_PLANE = 0x2501,
  GL_ONE = 0x0001,
  GL_ONE_MINUS_SRC_ALPHA = 0x0303,
  GL_PACK_ALIGNMENT = 0x0D05,
  GL_POLYGON = 0x0009,
  GL_POLYGON_BIT = 0x0008,
  GL_POLYGON_OFFSET_FILL = 0x8037,
  GL_POSITION = 0x1203,
  GL_PROJECTION = 0x1701,
  GL_PROJECTION_MATRIX = 0x0BA7,
  GL_Q = 0x2003,
  GL_QUADRATIC_ATTENUATION = 0x1209,
  GL_QUADS = 0x0007,
  GL_R = 0x2002,
  GL_READ_FRAMEBUFFER = 0x8CA8,
  GL_RENDERBUFFER = 0x8D41,
  GL_RENDERBUFFER_SAMPLES = 0x8CAB,
  GL_REPEAT = 0x2901,
  GL_REPLACE = 0x1E01,
  GL_RGB = 0x1907,
  GL_RGBA = 0x1908,
  GL_RGBA8 = 0x8058,
  GL_S = 0x2000,
  GL_SAMPLES = 0x80A9,
  GL_SAMPLE_BUFFERS = 0x80A8,
  GL_SCISSOR_BOX = 0x0C10,
  GL_SCISSOR_TEST = 0x0C11,
  GL_SHININESS = 0x1601,
  GL_SMOOTH = 0x1D01,
  GL_SPECULAR = 0x1202,
  GL_SPOT_CUTOFF = 0x1206,
  GL_SPOT_DIRECTION = 0x1204,
  GL_SPOT_EXPONENT = 0x1205,
  GL_SRC_ALPHA = 0x0302,
  GL_SRGB8 = 0x8C41,
  GL_SRGB8_ALPHA8 = 0x8C43,
  GL_STATIC_DRAW = 0x88E4,
  GL_STENCIL_BUFFER_BIT = 0x0400,
  GL_STENCIL_TEST = 0x0B90,
  GL_STEREO = 0x0C33,
  GL_STREAM_DRAW = 0x88E0,
  GL_T = 0x2001,
  GL_TEXTURE0 = 0x84C0,
  GL_TEXTURE1 = 0x84C1,
  GL_TEXTURE_2D = 0x0DE1,
  GL_TEXTURE_BIT = 0x40000,
  GL_TEXTURE_COMPARE_FUNC = 0x884D,
  GL_TEXTURE_COMPARE_MODE = 0x884C,
  GL_TEXTURE_COORD_ARRAY = 0x8078,
  GL_TEXTURE_CUBE_MAP = 0x8513,
  GL_TEXTURE_CUBE_MAP_POSITIVE_X = 0x8515,
  GL_TEXTURE_CUBE_MAP_SEAMLESS = 0x884F,
  GL_TEXTURE_ENV = 0x2300,
  GL_TEXTURE_ENV_MODE = 0x2200,
  GL_TEXTURE_GEN_MODE = 0x2500,
  GL_TEXTURE_GEN_Q = 0x0C63,
  GL_TEXTURE_GEN_R = 0x0C62,
  GL_TEXTURE_GEN_S = 0x0C60,
  GL_TEXTURE_GEN_T = 0x0C61,
  GL_TEXTURE_MAG_FILTER = 0x2800,
  GL_TEXTURE_MIN_FILTER = 0x2801,
  GL_TEXTURE_WRAP_R = 0x8072,
  GL_TEXTURE_WRAP_S = 0x2802,
  GL_TEXTURE_WRAP_T = 0x2803,
  GL_TRANSFORM_BIT = 0x1000,
  GL_TRIANGLE_FAN = 0x0006,
  GL_TRIANGLES = 0x0004,
  GL_UNPACK_ALIGNMENT = 0x0CF5,
  GL_UNSIGNED_BYTE = 0x1401,
  GL_UNSIGNED_INT = 0x1405,
  GL_UNSIGNED_INT_24_8 = 0x84FA,
  GL_VERSION = 0x1F02,
  GL_VERTEX_ARRAY = 0x8074,
  GL_ZERO_TO_ONE = 0x935F,
};
// clang-format on

// the functions, without their prefix: cfi_gl.Begin(GL_QUADS)
typedef struct {
#define CF_GL(type, name, arguments) type(*name) arguments;
#define CF_GL_OPTIONAL CF_GL
#include "render/glfunctions.def"
#undef CF_GL
#undef CF_GL_OPTIONAL
  bool has_clip_control;   // depth from 0 to 1 instead of -1 to 1
  bool has_float_depth;    // depth buffers of floats
  bool has_seamless_cube;  // filtering across the edges of cube maps
  bool has_debug;          // messages of the driver
} cfGl;

extern cfGl cfi_gl;

// fill the table for the context that is current in this thread; mju_error and false if there is
// none, or none that the renderer can use
bool cfi_loadGl(void);

// has that happened, and is a context current?  If not, mju_error with the name of the function
// that needs it, and false
bool cfi_needGl(const char* function);

// the same for the upload of one of `count` things; mju_error also if there is no such thing
bool cfi_canUpload(const char* function, const char* what, int id, mjtSize count);

// Errors of OpenGL at the end of a function of the API: every build but release looks for them and
// warns with the name of the function; mjr_getError still returns them
void cfi_checkGl(const char* function);
int cfi_takeGlError(void);

#endif  // CF_RENDER_GL_H
