// Assets as the compiler needs them: a mesh, height field, texture or skin read, checked and turned
// into the arrays of mjModel.  Every function takes memory from the draft's pool and reports
// trouble through cfi_fail.
#ifndef CF_COMPILE_ASSET_H
#define CF_COMPILE_ASSET_H

#include <stdbool.h>

#include <mujoco/mujoco.h>

#include "compile/bvh.h"
#include "compile/draft.h"

// octree of a mesh with a signed distance field
typedef struct {
  int count;
  mjtNum* aabb;  // count x 6
  int* child;    // count x 8
  int* depth;
  mjtNum* coeff;  // count x 8
} cfOctree;

// a compiled mesh; addresses inside are relative to the mesh
typedef struct cfMeshData {
  double pos[3],
      quat[4];  // frame in which the vertices are given, relative to the file's (inertial frame)
  double scale[3];
  double aamm[6];     // low and high corner of the vertices' box
  double boxsize[3];  // half sizes of the box with the same inertia, of the volume or the shell
  double volume;      // volume, or surface area for shell inertia
  int nvert, nnormal, ntexcoord, nface, ngraph, npoly, npolyvert, npolymap;
  float *vert, *normal, *texcoord;        // 3, 3, 2 per item
  int *face, *facenormal, *facetexcoord;  // 3 per face; facetexcoord NULL: zeros
  int* graph;                             // convex hull, NULL where none is needed
  mjtNum* polynormal;                     // 3 per polygon
  int *polyvertadr, *polyvertnum, *polyvert;
  int *polymapadr, *polymapnum;  // per vertex
  int* polymap;
  cfBvh bvh;
  cfOctree octree;
} cfMeshData;

// what a mesh is used for
typedef struct {
  bool needs_hull;  // some geom collides with it
  bool needs_sdf;   // some geom is a signed distance field
} cfMeshUse;

// read and process one mesh
void cfi_compileMesh(cfDraft* draft, const cfMeshDraft* mesh, cfMeshUse use, cfMeshData* out);

// elevation data, nrow x ncol, in [0, 1]
typedef struct cfHFieldData {
  double size[4];
  int nrow, ncol;
  float* data;
} cfHFieldData;
void cfi_compileHField(cfDraft* draft, const cfHFieldDraft* hfield, cfHFieldData* out);

// pixels, height x width x nchannel
typedef struct cfTextureData {
  int type, colorspace, height, width, nchannel;
  unsigned char* data;
} cfTextureData;
void cfi_compileTexture(cfDraft* draft, const cfTextureDraft* texture, cfTextureData* out);

// skin with its bones; the compiler turns body names into ids
typedef struct cfSkinData {
  int nvert, ntexcoord, nface, nbone;
  float *vert, *texcoord;  // 3, 2 per item
  int* face;               // 3 per face
  const char** bodyname;   // per bone
  float *bindpos, *bindquat;
  int* bonevertnum;  // per bone
  int** bonevertid;
  float** bonevertweight;
} cfSkinData;
void cfi_compileSkin(cfDraft* draft, const cfSkinDraft* skin, cfSkinData* out);

#endif  // CF_COMPILE_ASSET_H
