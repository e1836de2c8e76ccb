// Lights of a scene in OpenGL.
#include "base/assert.h"
#include "render/draw.h"
#include "render/gl.h"

// light of a scene without lamps
static const float twilight = 0.3f;


static void setColor(GLenum lamp, GLenum name, const float rgb[3]) {
  const float rgba[4] = {rgb[0], rgb[1], rgb[2], 1};
  cfi_gl.Lightfv(lamp, name, rgba);
}


// cone and fall-off; lamps of other kinds are not drawn by OpenGL
static void setShape(GLenum lamp, const mjvLight* light) {
  const bool is_spot = light->type == mjLIGHT_SPOT;
  if (!is_spot && light->type != mjLIGHT_DIRECTIONAL) {
    return;
  }
  cfi_gl.Lightf(lamp, GL_SPOT_EXPONENT, is_spot ? light->exponent : 0);
  cfi_gl.Lightf(lamp, GL_SPOT_CUTOFF, is_spot ? light->cutoff : 180);
  cfi_gl.Lightf(lamp, GL_CONSTANT_ATTENUATION, is_spot ? light->attenuation[0] : 1);
  cfi_gl.Lightf(lamp, GL_LINEAR_ATTENUATION, is_spot ? light->attenuation[1] : 0);
  cfi_gl.Lightf(lamp, GL_QUADRATIC_ATTENUATION, is_spot ? light->attenuation[2] : 0);
}


void cfi_setLights(cfPicture* p) {
  const float ambient = p->scn->nlight ? 0 : twilight;
  const float rgba[4] = {ambient, ambient, ambient, 1};
  cfi_gl.LightModelfv(GL_LIGHT_MODEL_AMBIENT, rgba);
  cfi_gl.LightModeli(GL_LIGHT_MODEL_TWO_SIDE, 0);
  cfi_gl.LightModeli(GL_LIGHT_MODEL_LOCAL_VIEWER, 1);

  // a scene may have more lamps than OpenGL, which has eight as a rule
  cfi_gl.GetIntegerv(GL_MAX_LIGHTS, &p->lights);
  p->lights = p->scn->nlight < p->lights ? p->scn->nlight : p->lights;
  for (int k = 0; k < p->lights; k++) {
    const GLenum lamp = GL_LIGHT0 + (GLenum)k;
    const mjvLight* light = p->scn->lights + k;
    setColor(lamp, GL_AMBIENT, light->ambient);
    setColor(lamp, GL_DIFFUSE, light->diffuse);
    setColor(lamp, GL_SPECULAR, light->specular);
    setShape(lamp, light);
    cfi_switchLight(k, false);
  }
}


void cfi_placeLight(const cfPicture* p, int light) {
  CF_ASSERT_INDEX(light, p->lights);
  const GLenum lamp = GL_LIGHT0 + (GLenum)light;
  const mjvLight* l = p->scn->lights + light;
  if (l->type == mjLIGHT_DIRECTIONAL) {
    const float from[4] = {-l->dir[0], -l->dir[1], -l->dir[2], 0};
    cfi_gl.Lightfv(lamp, GL_POSITION, from);
  } else if (l->type == mjLIGHT_SPOT) {
    const float place[4] = {l->pos[0], l->pos[1], l->pos[2], 1};
    cfi_gl.Lightfv(lamp, GL_SPOT_DIRECTION, l->dir);
    cfi_gl.Lightfv(lamp, GL_POSITION, place);
  }
}


void cfi_switchLight(int light, bool is_on) {
  (is_on ? cfi_gl.Enable : cfi_gl.Disable)(GL_LIGHT0 + (GLenum)light);
}
