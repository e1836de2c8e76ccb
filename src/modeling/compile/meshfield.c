// Meshes that a plugin makes: the zero surface of its signed distance field.
#include "compile/mesh.h"

#include <math.h>

#include "compile/isosurface.h"
#include "compile/plugins.h"

enum { POINTS_ALL_AXES = 300 };  // points of the grid, summed over the axes

// a distance field with the box that holds its surface
typedef struct {
  const mjpPlugin* plugin;
  const mjtNum* attribute;
  mjtNum box[6];  // center and half sizes
  int size[3];    // points per axis
} meshField;


// what the configuration means in numbers
static const mjtNum* fieldAttributes(cfDraft* draft, const cfPluginDraft* instance,
                                     const mjpPlugin* plugin) {
  const size_t count = (size_t)plugin->nattribute;
  mjtNum* attribute = (mjtNum*)cfi_poolAlloc(&draft->pool, count + 1, sizeof(mjtNum));
  const char** name = (const char**)cfi_poolAlloc(&draft->pool, count + 1, sizeof(char*));
  const char** value = (const char**)cfi_poolAlloc(&draft->pool, count + 1, sizeof(char*));
  for (size_t k = 0; k < count; k++) {
    name[k] = plugin->attributes[k];
    value[k] = cfi_pluginValue(instance, name[k]);
  }
  if (plugin->sdf_attribute) {
    plugin->sdf_attribute(attribute, name, value);
  }
  return attribute;
}


// points of the grid, in proportion to the sides of the box
static void sizeGrid(cfDraft* draft, const cfPart* part, meshField* field) {
  const mjtNum* half = field->box + 3;
  const mjtNum total = half[0] + half[1] + half[2];
  for (int k = 0; k < 3; k++) {
    const mjtNum points = floor(POINTS_ALL_AXES / total * half[k]) + 1;
    if (!(total > 0) || !(points >= 1 && points <= POINTS_ALL_AXES + 1) ||
        !isfinite(field->box[k])) {
      cfi_fail(draft, part, "plugin '%s' gives no box for its signed distance field",
               field->plugin->name);
    }
    field->size[k] = (int)points;
  }
}


static const float* sampleField(cfPool* pool, const meshField* field) {
  const int *n = field->size, last[3] = {n[0] - 1, n[1] - 1, n[2] - 1};
  const mjtNum *center = field->box, *half = field->box + 3;
  float* value = (float*)cfi_poolAlloc(pool, (size_t)n[0] * n[1] * n[2], sizeof(float));
  for (int k = 0; k < n[2]; k++) {
    for (int j = 0; j < n[1]; j++) {
      for (int i = 0; i < n[0]; i++) {
        const mjtNum point[3] = {center[0] - half[0] + 2 * half[0] * i / last[0],
                                 center[1] - half[1] + 2 * half[1] * j / last[1],
                                 center[2] - half[2] + 2 * half[2] * k / last[2]};
        value[((size_t)k * n[1] + j) * n[0] + i] =
            (float)field->plugin->sdf_staticdistance(point, field->attribute);
      }
    }
  }
  return value;
}


cfSurface cfi_fieldSurface(cfDraft* draft, const cfMeshDraft* mesh) {
  meshField field = {.plugin = mjp_getPluginAtSlot(mesh->plugin->slot)};
  const mjpPlugin* plugin = field.plugin;
  if (!plugin->sdf_aabb || !plugin->sdf_staticdistance) {
    cfi_fail(draft, &mesh->part, "plugin '%s' has no function %s", plugin->name,
             plugin->sdf_aabb ? "sdf_staticdistance" : "sdf_aabb");
  }
  field.attribute = fieldAttributes(draft, mesh->plugin, plugin);
  plugin->sdf_aabb(field.box, field.attribute);
  sizeGrid(draft, &mesh->part, &field);
  const cfGrid grid = {sampleField(&draft->pool, &field),
                       {field.size[0], field.size[1], field.size[2]}};
  cfSurface s = cfi_isoSurface(&draft->pool, grid);
  const mjtNum *center = field.box, *half = field.box + 3;
  for (size_t i = 0; i < s.vert.count; i++) {
    const size_t k = i % 3;
    s.vert.item[i] =
        (float)(2 * half[k] * s.vert.item[i] / (field.size[k] - 1) + center[k] - half[k]);
  }
  return s;
}
