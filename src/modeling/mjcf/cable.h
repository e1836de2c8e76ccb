// Cables: composites in the making.
#ifndef CF_MJCF_CABLE_H
#define CF_MJCF_CABLE_H

#include "mjcf/reader.h"

typedef enum { SHAPE_LINE, SHAPE_COS, SHAPE_SIN, SHAPE_ZERO } cftShape;

typedef struct {
  cfReader* r;
  const cfNode* node;
  const char* prefix;
  const char* initial;  // first joint: "ball", "free" or "none"
  int type, count[3];
  double offset[3], quat[4], size[3];
  cftShape curve[3];
  cfVec vertex;                    // floats, 3 per vertex
  cfElement *geom, *site, *joint;  // what the elements of the cable start as
  mjsFrame* frame;
  mjsPlugin plugin;  // passive force of every body, if active

  // skin
  bool has_skin, has_texcoord;
  const char* material;
  float rgba[4], inflate;
  int subgrid, group;
} cfCable;

// text, bodies, joints, geoms, sites and contact exclusions of a cable below a body
void cfi_makeCable(cfCable* c, mjsBody* body);

// its skin, where its geoms are boxes
void cfi_makeCableSkin(cfCable* c);

// name of a part: first, last or by number
void cfi_cablePartName(const cfCable* c, const char* kind, int i, char* name, size_t size);

// give an element its name, or report that the name is taken
void cfi_nameCableElement(cfCable* c, mjsElement* element, const char* name);

#endif  // CF_MJCF_CABLE_H
