// What a model brings along and OpenGL keeps: meshes, height fields, textures, skins, fonts.
#ifndef CF_RENDER_ASSETS_H
#define CF_RENDER_ASSETS_H

#include <stdbool.h>

#include <mujoco/mujoco.h>

// each false after mju_error
bool cfi_makeMeshes(const mjModel* m, mjrContext* con);
bool cfi_makeHFields(const mjModel* m, mjrContext* con);
bool cfi_makeTextures(const mjModel* m, mjrContext* con);
bool cfi_makeSkins(const mjModel* m, mjrContext* con);
bool cfi_makeFonts(mjrContext* con, int fontscale);

void cfi_freeSkins(mjrContext* con);
void cfi_freeFonts(mjrContext* con);

#endif  // CF_RENDER_ASSETS_H
