// Drawing one geom, and what all passes over a scene share.
#ifndef CF_RENDER_DRAW_H
#define CF_RENDER_DRAW_H

#include <stdbool.h>

#include <mujoco/mujoco.h>

// what a pass over the geoms is for
typedef enum {
  CF_PASS_COLOR,    // with light, texture and emission
  CF_PASS_SHADOW,   // light that is thrown by one lamp, where its shadow map says so
  CF_PASS_CAST,     // depth alone, into the shadow map
  CF_PASS_SEGMENT,  // one color for each object
  CF_PASS_ID        // the id of each object as a color
} cfPass;

// one picture that is being drawn
typedef struct {
  mjvScene* scn;
  const mjrContext* con;
  mjrRect viewport;     // of the view that is drawn now
  unsigned int buffer;  // color buffer that is drawn to
  mjvGLCamera camera;   // midway between the eyes
  float head[3];        // position of the camera in the model
  int lights;           // lights that OpenGL has room for
  int transparent;      // geoms that let light through; scn->geomorder has them from near to far
  float project[16], view[16];  // matrices of the view
} cfPicture;

// draw a geom in the current frame
void cfi_drawGeom(const cfPicture* p, const mjvGeom* geom, cfPass pass);

// is a geom a mirror?  Planes and boxes can be
bool cfi_isMirror(const mjvGeom* geom);

// texture of a geom's material in unit 0, on and off
void cfi_textureOn(const mjrContext* con, const mjvGeom* geom);
void cfi_textureOff(const mjrContext* con, const mjvGeom* geom);
void cfi_skyTextureOn(const mjrContext* con);
void cfi_skyTextureOff(void);

// shadow map in unit 1, looked up with coordinates by this matrix from positions before the view
void cfi_shadowTextureOn(const mjrContext* con, const float matrix[16]);
void cfi_shadowTextureOff(void);

// lights: colors and shapes, once for a picture; places, in the current frame; on and off
void cfi_setLights(cfPicture* p);
void cfi_placeLight(const cfPicture* p, int light);
void cfi_switchLight(int light, bool is_on);

// stages of a picture, in this order; each leaves the state as it found it
void cfi_drawReflections(cfPicture* p);
void cfi_drawShadows(cfPicture* p);
void cfi_drawSky(cfPicture* p);

// letters at a position of the current frame, without changing other state
void cfi_drawText(int font, const char* text, const mjrContext* con, const float pos[3],
                  const float rgb[3]);

#endif  // CF_RENDER_DRAW_H
