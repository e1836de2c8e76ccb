// Drawing one geom: material, color, frame, shape.
#include "base/assert.h"
#include "render/draw.h"
#include "render/gl.h"
#include "render/matrix.h"
#include "render/shapes.h"

// arrows: the head is so much thicker than the shaft
static const float arrow_head = 1.75f;

// how much of a plane is seen from below
static const double plane_back = 0.3;


bool cfi_isMirror(const mjvGeom* geom) {
  return (geom->type == mjGEOM_PLANE || geom->type == mjGEOM_BOX) && !geom->transparent &&
         geom->reflectance > 0;
}


//---------------------------------- colors --------------------------------------------------------

static void setMaterial(const mjvGeom* geom, const float rgba[4], bool emits) {
  const float glow = emits ? geom->emission : 0, shine = geom->specular;
  const float emission[4] = {glow * rgba[0], glow * rgba[1], glow * rgba[2], 1};
  const float specular[4] = {shine, shine, shine, 1};
  cfi_gl.Materialfv(GL_FRONT_AND_BACK, GL_EMISSION, emission);
  cfi_gl.Color4fv(rgba);
  cfi_gl.Materialf(GL_FRONT_AND_BACK, GL_SHININESS, geom->shininess * 128.0f);
  cfi_gl.Materialfv(GL_FRONT_AND_BACK, GL_SPECULAR, specular);
}


// id + 1 as a color, lowest byte in red
static void setIdColor(int segid) {
  const unsigned int id = (unsigned int)segid + 1;
  const GLubyte rgba[4] = {id & 0xFF, (id >> 8) & 0xFF, (id >> 16) & 0xFF, 0xFF};
  cfi_gl.Color4ubv(rgba);
}


// colors far from each other: points of a Halton sequence
static void setSegmentColor(int segid) {
  static const int bases[3] = {2, 3, 5};
  float rgba[4] = {0, 0, 0, 1};
  for (int k = 0; k < 3; k++) {
    rgba[k] = (float)(0.1f + 0.8f * mju_Halton(segid + 10, bases[k]));
  }
  cfi_gl.Color4fv(rgba);
}


static void setColors(const mjvGeom* geom, cfPass pass, bool is_behind) {
  float rgba[4] = {geom->rgba[0], geom->rgba[1], geom->rgba[2], geom->rgba[3]};
  if (pass == CF_PASS_COLOR || pass == CF_PASS_SHADOW) {
    const bool is_lit = pass == CF_PASS_COLOR;
    if (is_lit && geom->type == mjGEOM_PLANE && is_behind) {
      rgba[3] = (float)(rgba[3] * plane_back);
    }
    setMaterial(geom, rgba, is_lit);
  } else if (pass == CF_PASS_SEGMENT) {
    setSegmentColor(geom->segid);
  } else if (pass == CF_PASS_ID) {
    setIdColor(geom->segid);
  }
}


//---------------------------------- shapes --------------------------------------------------------

static void callShape(const mjrContext* con, cfShape shape) {
  CF_ASSERT_INDEX((int)shape, CF_SHAPE_COUNT);
  cfi_gl.CallList(con->baseBuiltin + (unsigned int)shape);
}


static void drawPlane(const mjrContext* con, const mjvGeom* geom, bool is_behind) {
  if (is_behind) {
    cfi_gl.CullFace(GL_FRONT);
  }
  if (geom->dataid >= 0) {
    cfi_gl.CallList(con->basePlane + (unsigned int)geom->dataid + 1);
  } else {
    cfi_gl.Scalef(geom->size[0], geom->size[1], 1);
    cfi_gl.CallList(con->basePlane);
  }
  if (is_behind) {
    cfi_gl.CullFace(GL_BACK);
  }
}


// a tube, then two halves of a sphere moved to its ends
static void drawCapsule(const mjrContext* con, const float size[3]) {
  const float radius = (float)(0.5 * (size[0] + size[1]));
  cfi_gl.Scalef(size[0], size[1], size[2]);
  callShape(con, CF_SHAPE_TUBE);
  cfi_gl.Scalef(1, 1, radius / size[2]);
  cfi_gl.Translatef(0, 0, (size[2] - radius) / radius);
  callShape(con, CF_SHAPE_DOME);
  cfi_gl.Translatef(0, 0, 2 * (radius - size[2]) / radius);
  callShape(con, CF_SHAPE_BOWL);
}


// shaft of two thirds and head of one third of the length
static void drawArrow(const mjrContext* con, const float size[3], float head) {
  cfi_gl.Scalef(size[0], size[1], size[2] / 6);
  cfi_gl.Translatef(0, 0, 1);
  callShape(con, CF_SHAPE_DRUM);
  cfi_gl.Translatef(0, 0, 1);
  if (head != 1) {
    cfi_gl.Scalef(head, head, 1);
  }
  callShape(con, CF_SHAPE_CONE);
}


static void drawDoubleArrow(const mjrContext* con, const float size[3]) {
  cfi_gl.Scalef(size[0], size[1], size[2] / 3);
  callShape(con, CF_SHAPE_TUBE);
  cfi_gl.Scalef(arrow_head, arrow_head, 0.5f);
  cfi_gl.Translatef(0, 0, -2);
  cfi_gl.Rotatef(180, 1, 0, 0);
  callShape(con, CF_SHAPE_CONE);
  cfi_gl.Rotatef(180, 1, 0, 0);
  cfi_gl.Translatef(0, 0, 4);
  callShape(con, CF_SHAPE_CONE);
}


static void emitLine(const float from[3], const float to[3]) {
  cfi_gl.Vertex3fv(from);
  cfi_gl.Vertex3fv(to);
}


// twelve edges of a box, as loops around bottom and top and lines between them
static void emitBoxEdges(const float size[3]) {
  float corner[8][3];
  static const int around[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
  for (int k = 0; k < 8; k++) {
    corner[k][0] = (float)around[k % 4][0] * size[0];
    corner[k][1] = (float)around[k % 4][1] * size[1];
    corner[k][2] = k < 4 ? -size[2] : size[2];
  }
  for (int level = 0; level < 2; level++) {
    cfi_gl.Begin(GL_LINE_LOOP);
    for (int k = 0; k < 4; k++) {
      cfi_gl.Vertex3fv(corner[4 * level + k]);
    }
    cfi_gl.End();
  }
  cfi_gl.Begin(GL_LINES);
  for (int k = 0; k < 4; k++) {
    emitLine(corner[k], corner[k + 4]);
  }
  cfi_gl.End();
}


// lines have no side that light could fall on
static void drawLines(const mjrContext* con, const mjvGeom* geom) {
  const bool is_box = geom->type == mjGEOM_LINEBOX;
  const bool is_lit = cfi_gl.IsEnabled(GL_LIGHTING);
  cfi_gl.LineWidth(is_box ? (float)(1.5 * con->lineWidth) : geom->size[0] * con->lineWidth);
  cfi_gl.Disable(GL_LIGHTING);
  if (is_box) {
    emitBoxEdges(geom->size);
  } else {
    const float origin[3] = {0, 0, 0}, end[3] = {0, 0, geom->size[2]};
    cfi_gl.Begin(GL_LINES);
    emitLine(origin, end);
    cfi_gl.End();
  }
  cfi_gl.LineWidth(con->lineWidth);
  if (is_lit) {
    cfi_gl.Enable(GL_LIGHTING);
  }
}


// seen from both sides
static void drawTriangle(const mjvScene* scn, const float size[3]) {
  cfi_gl.Disable(GL_CULL_FACE);
  cfi_gl.Begin(GL_TRIANGLES);
  cfi_gl.Normal3f(0, 0, 1);
  cfi_gl.Vertex3f(0, 0, 0);
  cfi_gl.Vertex3f(size[0], 0, 0);
  cfi_gl.Vertex3f(0, size[1], 0);
  cfi_gl.End();
  if (scn->flags[mjRND_CULL_FACE]) {
    cfi_gl.Enable(GL_CULL_FACE);
  }
}


//---------------------------------- soft things ---------------------------------------------------

static void drawSkin(const cfPicture* p, int skin) {
  const mjrContext* con = p->con;
  if (skin < 0 || skin >= con->nskin || skin >= p->scn->nskin) {
    return;
  }
  cfi_gl.EnableClientState(GL_VERTEX_ARRAY);
  cfi_gl.BindBuffer(GL_ARRAY_BUFFER, con->skinvertVBO[skin]);
  cfi_gl.VertexPointer(3, GL_FLOAT, 0, NULL);
  cfi_gl.EnableClientState(GL_NORMAL_ARRAY);
  cfi_gl.BindBuffer(GL_ARRAY_BUFFER, con->skinnormalVBO[skin]);
  cfi_gl.NormalPointer(GL_FLOAT, 0, NULL);
  if (con->skintexcoordVBO[skin]) {
    cfi_gl.EnableClientState(GL_TEXTURE_COORD_ARRAY);
    cfi_gl.BindBuffer(GL_ARRAY_BUFFER, con->skintexcoordVBO[skin]);
    cfi_gl.TexCoordPointer(2, GL_FLOAT, 0, NULL);
  }
  cfi_gl.BindBuffer(GL_ELEMENT_ARRAY_BUFFER, con->skinfaceVBO[skin]);
  cfi_gl.DrawElements(GL_TRIANGLES, 3 * p->scn->skinfacenum[skin], GL_UNSIGNED_INT, NULL);
  cfi_gl.BindBuffer(GL_ARRAY_BUFFER, 0);
  cfi_gl.BindBuffer(GL_ELEMENT_ARRAY_BUFFER, 0);
  cfi_gl.DisableClientState(GL_VERTEX_ARRAY);
  cfi_gl.DisableClientState(GL_NORMAL_ARRAY);
  cfi_gl.DisableClientState(GL_TEXTURE_COORD_ARRAY);
}


static void drawFlexVertices(const cfPicture* p, int flex, float radius) {
  const float* vert = p->scn->flexvert + 3 * p->scn->flexvertadr[flex];
  for (int k = 0; k < p->scn->flexvertnum[flex]; k++, vert += 3) {
    cfi_gl.PushMatrix();
    cfi_gl.Translatef(vert[0], vert[1], vert[2]);
    cfi_gl.Scalef(radius, radius, radius);
    callShape(p->con, CF_SHAPE_SPHERE);
    cfi_gl.PopMatrix();
  }
}


// an edge is a tube between two vertices, its z axis along them
static void drawFlexEdge(const cfPicture* p, const float a[3], const float b[3], float radius) {
  mjtNum along[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]}, quat[4], mat[9];
  float frame[9];
  const mjtNum length = mju_normalize3(along);
  mju_quatZ2Vec(quat, along);
  mju_quat2Mat(mat, quat);
  mju_n2f(frame, mat, 9);
  cfi_gl.PushMatrix();
  cfi_gl.Translatef((a[0] + b[0]) * 0.5f, (a[1] + b[1]) * 0.5f, (a[2] + b[2]) * 0.5f);
  cfi_rotate9(frame);
  cfi_gl.Scalef(radius, radius, (float)(length * 0.5));
  callShape(p->con, CF_SHAPE_TUBE);
  cfi_gl.PopMatrix();
}


static void drawFlexEdges(const cfPicture* p, int flex, float radius) {
  const mjvScene* scn = p->scn;
  const float* vert = scn->flexvert + 3 * scn->flexvertadr[flex];
  const int* edge = scn->flexedge + 2 * scn->flexedgeadr[flex];
  for (int k = 0; k < scn->flexedgenum[flex]; k++, edge += 2) {
    drawFlexEdge(p, vert + 3 * edge[0], vert + 3 * edge[1], radius);
  }
}


static void drawFlexFaces(const mjvScene* scn, int flex, bool is_textured) {
  const int first = scn->flexfaceadr[flex];
  cfi_gl.EnableClientState(GL_VERTEX_ARRAY);
  cfi_gl.EnableClientState(GL_NORMAL_ARRAY);
  cfi_gl.VertexPointer(3, GL_FLOAT, 0, scn->flexface + 9 * first);
  cfi_gl.NormalPointer(GL_FLOAT, 0, scn->flexnormal + 9 * first);
  if (is_textured) {
    cfi_gl.EnableClientState(GL_TEXTURE_COORD_ARRAY);
    cfi_gl.TexCoordPointer(2, GL_FLOAT, 0, scn->flextexcoord + 6 * first);
  }
  cfi_gl.DrawArrays(GL_TRIANGLES, 0, 3 * scn->flexfaceused[flex]);
  cfi_gl.DisableClientState(GL_VERTEX_ARRAY);
  cfi_gl.DisableClientState(GL_NORMAL_ARRAY);
  if (is_textured) {
    cfi_gl.DisableClientState(GL_TEXTURE_COORD_ARRAY);
  }
}


// vertices and edges, which have no texture, then faces
static void drawFlex(const cfPicture* p, const mjvGeom* geom) {
  const mjvScene* scn = p->scn;
  const int flex = geom->objid;
  if (flex < 0 || flex >= scn->nflex) {
    return;
  }
  const bool has_skeleton = geom->size[0] > 0 && !(scn->flexskinopt && scn->flexfaceused[flex]);
  const bool was_textured = cfi_gl.IsEnabled(GL_TEXTURE_2D);
  if (was_textured) {
    cfi_gl.Disable(GL_TEXTURE_2D);
  }
  if (has_skeleton && scn->flexvertopt) {
    drawFlexVertices(p, flex, geom->size[0]);
  }
  if (has_skeleton && scn->flexedgeopt) {
    drawFlexEdges(p, flex, geom->size[0]);
  }
  if (was_textured) {
    cfi_gl.Enable(GL_TEXTURE_2D);
  }
  if (scn->flexfaceused[flex]) {
    drawFlexFaces(scn, flex, geom->texcoord && geom->matid >= 0);
  }
}


//---------------------------------- all kinds -----------------------------------------------------

// shape that only has to be scaled; CF_SHAPE_COUNT for geoms that are more than that
static cfShape scaledShape(int type) {
  switch (type) {
    case mjGEOM_SPHERE:
    case mjGEOM_ELLIPSOID:
      return CF_SHAPE_SPHERE;
    case mjGEOM_CYLINDER:
      return CF_SHAPE_DRUM;
    case mjGEOM_BOX:
      return CF_SHAPE_CUBE;
    default:
      return CF_SHAPE_COUNT;
  }
}


static void drawModelShape(const cfPicture* p, const mjvGeom* geom, bool is_behind) {
  const cfShape shape = scaledShape(geom->type);
  const unsigned int data = (unsigned int)geom->dataid;
  if (shape != CF_SHAPE_COUNT) {
    cfi_gl.Scalef(geom->size[0], geom->size[1], geom->size[2]);
    callShape(p->con, shape);
  } else if (geom->type == mjGEOM_PLANE) {
    drawPlane(p->con, geom, is_behind);
  } else if (geom->type == mjGEOM_CAPSULE) {
    drawCapsule(p->con, geom->size);
  } else if (geom->type == mjGEOM_HFIELD && geom->dataid >= 0) {
    cfi_gl.CallList(p->con->baseHField + data);
  } else if ((geom->type == mjGEOM_MESH || geom->type == mjGEOM_SDF) && geom->dataid >= 0) {
    cfi_gl.CallList(p->con->baseMesh + data);
  }
}


static void drawShape(const cfPicture* p, const mjvGeom* geom, bool is_behind) {
  switch (geom->type) {
    case mjGEOM_ARROW:
      drawArrow(p->con, geom->size, arrow_head);
      break;
    case mjGEOM_ARROW1:
      drawArrow(p->con, geom->size, 1);
      break;
    case mjGEOM_ARROW2:
      drawDoubleArrow(p->con, geom->size);
      break;
    case mjGEOM_LINE:
    case mjGEOM_LINEBOX:
      drawLines(p->con, geom);
      break;
    case mjGEOM_TRIANGLE:
      drawTriangle(p->scn, geom->size);
      break;
    case mjGEOM_FLEX:
      drawFlex(p, geom);
      break;
    case mjGEOM_SKIN:
      drawSkin(p, geom->objid);
      break;
    default:
      drawModelShape(p, geom, is_behind);
  }
}


void cfi_drawGeom(const cfPicture* p, const mjvGeom* geom, cfPass pass) {
  const bool is_painted = geom->matid >= 0 && (pass == CF_PASS_COLOR || pass == CF_PASS_SHADOW);
  const bool is_behind = cfi_isBehind(p->head, geom->pos, geom->mat);
  if (pass == CF_PASS_CAST && (geom->type == mjGEOM_LINE || geom->category == mjCAT_DECOR)) {
    return;
  }
  if (is_painted) {
    cfi_textureOn(p->con, geom);
  }
  setColors(geom, pass, is_behind);
  cfi_gl.PushMatrix();
  if (geom->type != mjGEOM_FLEX && geom->type != mjGEOM_SKIN) {
    cfi_gl.Translatef(geom->pos[0], geom->pos[1], geom->pos[2]);
    cfi_rotate9(geom->mat);
  }
  drawShape(p, geom, is_behind);
  cfi_gl.PopMatrix();
  if (is_painted) {
    cfi_textureOff(p->con, geom);
  }
}
