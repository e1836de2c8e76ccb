// URDF: robots as the Robot Operating System describes them.
//
// A link becomes a body, a joint becomes the body's place in its parent and one to three joints,
// collision elements (and visual ones unless they are discarded) become geoms.  A mimic element
// becomes a joint equality where the file asks for that.  Tags that mean nothing here are listed in
// one warning.
#include "base/platform.h"
#include "mjcf/reader.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/path.h"

typedef struct {
  const cfNode* node;
  const char* name;
  int parent;  // -1: root
  mjsBody* body;
} cfLink;

typedef struct {
  cfReader* r;
  cfLink* link;
  int nlink;
  bool keeps_mimic;    // mimic elements become equalities
  char ignored[600];   // names of tags that are not used
  bool needs_folders;  // a mesh was found only with its folders
  char tried[2000];    // where a mesh was looked for
} cfRobot;

//---------------------------------- small helpers -------------------------------------------------

// the only child with a tag; more than one is an error
static const cfNode* onlyChild(cfRobot* robot, const cfNode* node, const char* tag, bool required) {
  const cfNode* child = cfi_firstChild(node, tag);
  if (child && cfi_nextSibling(child, tag)) {
    cfi_error(robot->r->report, child, "repeated element: '%s'", tag);
  }
  if (!child && required) {
    cfi_error(robot->r->report, node, "missing element: '%s'", tag);
  }
  return child;
}

static bool readRequired(cfRobot* robot, const cfNode* node, const char* name, double* value) {
  return cfi_require(robot->r, node, name) && cfi_readDouble(robot->r, node, name, value);
}

static void ignore(cfRobot* robot, const char* tag) {
  const size_t used = strlen(robot->ignored);
  char word[80];
  snprintf(word, sizeof(word), " %.70s", tag);
  if (!strstr(robot->ignored, word)) {
    snprintf(robot->ignored + used, sizeof(robot->ignored) - used, "%s", word);
  }
}

static int findLink(const cfRobot* robot, const char* name) {
  for (int i = 0; name && i < robot->nlink; i++) {
    if (strcmp(robot->link[i].name, name) == 0) {
      return i;
    }
  }
  return -1;
}

static void setUniqueName(cfRobot* robot, const cfNode* node, mjsElement* element,
                          const char* name) {
  cfi_setOrigin(robot->r, node, element);
  if (cfi_find(cfi_spec(robot->r->spec), element->elemtype, name)) {
    cfi_error(robot->r->report, node, "repeated name '%s' in %s", name,
              mju_type2Str(element->elemtype));
    return;
  }
  cfi_setElementName(cfi_element(element), name);
}

// position and roll-pitch-yaw about fixed axes
static void readOrigin(cfRobot* robot, const cfNode* node, double pos[3], double quat[4]) {
  const cfNode* origin = onlyChild(robot, node, "origin", false);
  mjsOrientation alt = {.type = mjORIENTATION_EULER};
  memset(pos, 0, 3 * sizeof(double));
  memcpy(quat, (double[4]){1, 0, 0, 0}, 4 * sizeof(double));
  if (origin) {
    cfi_readNumbers(robot->r, origin, "xyz", pos, 3, true);
    if (cfi_readNumbers(robot->r, origin, "rpy", alt.euler, 3, true)) {
      mjs_resolveOrientation(quat, 0, "XYZ", &alt);
    }
  }
}

//---------------------------------- tree of links -------------------------------------------------

static void collectLinks(cfRobot* robot, const cfNode* root) {
  int room = 0;
  for (const cfNode* node = cfi_firstChild(root, "link"); node;
       node = cfi_nextSibling(node, "link")) {
    room++;
  }
  robot->link = (cfLink*)calloc((size_t)room + 1, sizeof(cfLink));
  for (const cfNode* node = cfi_firstChild(root, "link"); node && robot->link;
       node = cfi_nextSibling(node, "link")) {
    const char* name = cfi_readText(robot->r, node, "name", true);
    if (findLink(robot, name) >= 0) {
      cfi_error(robot->r->report, node, "repeated URDF name: '%s'", name);
    } else if (name) {
      robot->link[robot->nlink++] = (cfLink){node, name, -1, NULL};
    }
  }
}

// link that a parent or child element names, -1 after a report
static int namedLink(cfRobot* robot, const cfNode* joint, const char* tag) {
  const cfNode* node = onlyChild(robot, joint, tag, true);
  const char* name = node ? cfi_readText(robot->r, node, "link", true) : NULL;
  const int id = findLink(robot, name);
  if (name && id < 0) {
    cfi_error(robot->r->report, joint, "URDF joint parent or child missing: '%s'", name);
  }
  return id;
}

static void connectLinks(cfRobot* robot, const cfNode* root) {
  for (const cfNode* node = cfi_firstChild(root, "joint"); node;
       node = cfi_nextSibling(node, "joint")) {
    const int parent = namedLink(robot, node, "parent"), child = namedLink(robot, node, "child");
    if (parent < 0 || child < 0) {
      continue;
    }
    if (robot->link[child].parent >= 0) {
      cfi_error(robot->r->report, node, "URDF body has multiple parents: '%s'",
                robot->link[child].name);
      continue;
    }
    robot->link[child].parent = parent;
  }
}

// children of a link, in the order of the joints that name them
static int childrenOf(cfRobot* robot, const cfNode* root, int parent, int* child) {
  CF_ASSERT(child != NULL);
  int count = 0;
  for (const cfNode* node = cfi_firstChild(root, "joint"); node;
       node = cfi_nextSibling(node, "joint")) {
    const cfNode* end = cfi_firstChild(node, "child");
    const char* name = end ? cfi_attribute(end, "link") : NULL;
    const int id = findLink(robot, name);
    if (id >= 0 && robot->link[id].parent == parent) {
      bool is_new = true;
      for (int i = 0; i < count; i++) {
        is_new = is_new && child[i] != id;
      }
      if (is_new) {
        child[count++] = id;
      }
    }
  }
  return count;
}

// one body per link, depth first; a link called world is the world
static void makeBodies(cfRobot* robot, const cfNode* root) {
  mjsBody* world = (mjsBody*)cfi_spec(robot->r->spec)->world->attr;
  const size_t room = (size_t)robot->nlink + 1;
  int* stack = (int*)calloc(2 * room, sizeof(int));
  int* child = stack ? stack + room : NULL;
  for (int top = 0; stack && top < robot->nlink; top++) {
    int depth = 0;
    if (robot->link[top].parent < 0) {
      stack[depth++] = top;
    }
    while (depth) {
      const int id = stack[--depth];
      cfLink* link = &robot->link[id];
      mjsBody* parent = link->parent >= 0 ? robot->link[link->parent].body : world;
      link->body = world;
      if (strcmp(link->name, "world") != 0) {
        link->body = mjs_addBody(parent, NULL);
        setUniqueName(robot, link->node, link->body->element, link->name);
      }
      int count = childrenOf(robot, root, id, child);
      while (count > 0) {
        stack[depth++] = child[--count];
      }
    }
  }
  free(stack);
  for (int i = 0; i < robot->nlink; i++) {
    if (!robot->link[i].body) {
      cfi_error(robot->r->report, robot->link[i].node,
                "URDF body not found: link '%s' is part of a loop", robot->link[i].name);
    }
  }
}

//---------------------------------- links ---------------------------------------------------------

static void readLinkInertial(cfRobot* robot, const cfNode* link, mjsBody* body) {
  static const char* const names[6] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
  const cfNode* node = onlyChild(robot, link, "inertial", false);
  if (!node) {
    return;
  }
  body->explicitinertial = 1;
  readOrigin(robot, node, body->ipos, body->iquat);
  const cfNode* mass = onlyChild(robot, node, "mass", true);
  const cfNode* inertia = onlyChild(robot, node, "inertia", true);
  if (mass) {
    readRequired(robot, mass, "value", &body->mass);
  }
  bool is_zero = true;
  for (int i = 0; inertia && i < 6; i++) {
    body->fullinertia[i] = 0;
    readRequired(robot, inertia, names[i], &body->fullinertia[i]);
    is_zero = is_zero && body->fullinertia[i] == 0;
  }

  // no inertia at all means that it is not known
  const double* f = body->fullinertia;
  if (is_zero) {
    body->fullinertia[0] = NAN;
    return;
  }
  static const int place[9] = {0, 3, 4, 3, 1, 5, 4, 5, 2};
  double full[9], value[3], vector[9], turn[4], iquat[4];
  for (int i = 0; i < 9; i++) {
    full[i] = f[place[i]];
  }
  mju_eig3(value, vector, turn, full);
  if (value[2] >= 1e-14) {
    mju_mulQuat(iquat, body->iquat, turn);
    memcpy(body->iquat, iquat, sizeof(iquat));
  }
}

// color of a material that is given anywhere in the file
static bool namedColor(cfRobot* robot, const char* name, float rgba[4]) {
  const cfNode* root = robot->link[0].node->parent;
  const cfNode* node = root;
  while (node) {
    const char* other = strcmp(node->tag, "material") == 0 ? cfi_attribute(node, "name") : NULL;
    const cfNode* color = other && strcmp(other, name) == 0 ? cfi_firstChild(node, "color") : NULL;
    double value[4];
    if (color && cfi_readNumbers(robot->r, color, "rgba", value, 4, true)) {
      for (int i = 0; i < 4; i++) {
        rgba[i] = (float)value[i];
      }
      return true;
    }
    const cfNode* next = node->first;
    while (!next && node) {
      next = node->next;
      node = node->parent;
    }
    node = next;
  }
  return false;
}

// color of a visual element; stays as it was where none is given
static void readColor(cfRobot* robot, const cfNode* visual, float rgba[4]) {
  const cfNode* material = onlyChild(robot, visual, "material", false);
  const cfNode* color = material ? onlyChild(robot, material, "color", false) : NULL;
  double value[4];
  if (color) {
    if (cfi_require(robot->r, color, "rgba") &&
        cfi_readNumbers(robot->r, color, "rgba", value, 4, true)) {
      for (int i = 0; i < 4; i++) {
        rgba[i] = (float)value[i];
      }
    }
  } else if (material) {
    const char* name = cfi_readText(robot->r, material, "name", true);
    if (name) {
      namedColor(robot, name, rgba);
    }
  }
}

//---------------------------------- geometry ------------------------------------------------------

static bool canOpen(cfRobot* robot, const char* path) {
  mjResource* resource = mju_openResource(robot->r->modeldir, path, robot->r->vfs, NULL, 0);
  mju_closeResource(resource);
  return resource != NULL;
}

// Whether a mesh file opens from the folders that the compiler searches.  If not, the place is
// added to the list of places tried; one that no longer fits is left out whole.
static bool canOpenMesh(cfRobot* robot, const char* name) {
  const char* path = cfi_documentPath(robot->r->doc, robot->r->meshdir, name);
  if (canOpen(robot, path)) {
    return true;
  }
  const size_t used = strlen(robot->tried);
  const size_t room = sizeof(robot->tried) - used;
  char place[CF_PATH_MAX + 5];
  const int length = snprintf(place, sizeof(place), "%s'%s'", used ? ", " : "",
                              cfi_documentPath(robot->r->doc, robot->r->modeldir, path));
  if (length > 0 && (size_t)length < room && !strstr(robot->tried, place + (used ? 2 : 0))) {
    memcpy(robot->tried + used, place, (size_t)length + 1);
  }
  return false;
}

// package://NAME/PATH is looked for as NAME/PATH and PATH, here and in the folders above; NULL if
// it is nowhere
static const char* findInPackage(cfRobot* robot, const char* whole) {
  const char* slash = strchr(whole, '/');
  const char* inner = slash ? slash + 1 : whole;
  static const char* const above[] = {"", "../", "../../", "../../../"};
  for (int i = 0; i < 4; i++) {
    const char* candidate[2] = {cfi_documentPath(robot->r->doc, above[i], whole),
                                cfi_documentPath(robot->r->doc, above[i], inner)};
    for (int k = 0; k < 2; k++) {
      if (canOpenMesh(robot, candidate[k])) {
        return candidate[k];
      }
    }
  }
  return NULL;
}

// The name that a mesh file opens by.  Folders are ignored where the model says so, as all URDF
// does at first; where nothing opens by the bare name, the folders are needed after all.
static const char* meshFile(cfRobot* robot, const char* file) {
  static const char scheme[] = "package://";
  const bool has_scheme = strncmp(file, scheme, sizeof(scheme) - 1) == 0;
  const char* whole =
      has_scheme ? file + sizeof(scheme) - 1 : (strncmp(file, "file://", 7) == 0 ? file + 7 : file);
  const char* bare = cfi_fileName(file);
  mjSpec* spec = robot->r->spec;
  robot->tried[0] = '\0';
  if ((spec->strippath || robot->needs_folders) && canOpenMesh(robot, bare)) {
    return bare;
  }
  const char* found =
      has_scheme ? findInPackage(robot, whole) : (canOpenMesh(robot, whole) ? whole : NULL);
  if (found && spec->strippath) {
    // names of meshes are made bare here, no longer by the compiler
    spec->strippath = 0;
    robot->needs_folders = true;
  }
  if (found) {
    robot->tried[0] = '\0';
    return found;
  }
  const char* slash = has_scheme ? strchr(whole, '/') : NULL;
  return spec->strippath || robot->needs_folders ? bare : (slash ? slash + 1 : whole);
}

// mesh of a name and a scale; other scales of the same file get a number. As in MuJoCo 3.5.0,
// whoever uses a scale again gets the first mesh of that file whatever its scale
static const char* meshFor(cfRobot* robot, const cfNode* node, const char* file,
                           const double scale[3]) {
  CF_ASSERT(file && scale);
  cfReader* r = robot->r;
  const char *base = cfi_fileName(file), *dot = strrchr(base, '.');
  char stem[256], name[300];
  snprintf(stem, sizeof(stem), "%.*s", dot ? (int)(dot - base) & 0xff : 255, base);
  const cfList* list = cfi_list(cfi_spec(r->spec), mjOBJ_MESH);
  const char* first = NULL;
  int same = 0;
  for (int i = 0; i < list->count; i++) {
    const mjsMesh* mesh = (const mjsMesh*)list->item[i]->attr;
    const char* other = cfi_fileName(cfi_text(mesh->file));
    if (strncmp(other, stem, strlen(stem)) != 0 ||
        (other[strlen(stem)] != '.' && other[strlen(stem)] != 0)) {
      continue;
    }
    first = first ? first : cfi_text(&list->item[i]->name);
    if (memcmp(mesh->scale, scale, sizeof(mesh->scale)) == 0) {
      return first;
    }
    same++;
  }
  if (same) {
    snprintf(name, sizeof(name), "%s%d", stem, same);
  } else {
    snprintf(name, sizeof(name), "%s", stem);
  }
  mjsMesh* mesh = mjs_addMesh(r->spec, NULL);
  mjs_setString(mesh->file, file);
  memcpy(mesh->scale, scale, sizeof(mesh->scale));
  setUniqueName(robot, node, mesh->element, name);
  if (robot->tried[0]) {
    char info[2100];
    snprintf(info, sizeof(info), "line %d\nlooked for %s", node->line, robot->tried);
    mjs_setString(mesh->info, info);
  }
  return cfi_text(&cfi_element(mesh->element)->name);
}

static void readMeshShape(cfRobot* robot, const cfNode* node, mjsGeom* geom) {
  cfReader* r = robot->r;
  double scale[3] = {1, 1, 1};
  const char* file = cfi_readText(r, node, "filename", true);
  cfi_readNumbers(r, node, "scale", scale, 3, true);
  if (!file) {
    return;
  }
  file = meshFile(robot, file);
  geom->type = mjGEOM_MESH;
  mjs_setString(geom->meshname, meshFor(robot, node, file, scale));
}

// lengths and box sizes are full ones here, half ones in a geom
static void readShape(cfRobot* robot, const cfNode* geometry, mjsGeom* geom) {
  const struct {
    const char* tag;
    mjtGeom type;
  } round[] = {
      {"cylinder", mjGEOM_CYLINDER}, {"sphere", mjGEOM_SPHERE}, {"capsule", mjGEOM_CAPSULE}};
  const cfNode* node = onlyChild(robot, geometry, "box", false);
  geom->type = mjGEOM_BOX;
  if (node) {
    if (cfi_require(robot->r, node, "size")) {
      cfi_readNumbers(robot->r, node, "size", geom->size, 3, true);
    }
    for (int i = 0; i < 3; i++) {
      geom->size[i] /= 2;
    }
    return;
  }
  for (int i = 0; i < 3; i++) {
    node = onlyChild(robot, geometry, round[i].tag, false);
    if (node) {
      geom->type = round[i].type;
      readRequired(robot, node, "radius", &geom->size[0]);
      if (round[i].type != mjGEOM_SPHERE) {
        readRequired(robot, node, "length", &geom->size[1]);
        geom->size[1] /= 2;
      }
      return;
    }
  }
  node = onlyChild(robot, geometry, "mesh", false);
  if (node) {
    readMeshShape(robot, node, geom);
  } else {
    cfi_error(robot->r->report, geometry, "visual geometry specification not found");
  }
}

static void readGeom(cfRobot* robot, const cfNode* node, mjsBody* body, const float rgba[4]) {
  CF_ASSERT(node && body);
  const cfNode* geometry = onlyChild(robot, node, "geometry", true);
  const bool is_collision = strcmp(node->tag, "collision") == 0;
  if (!geometry) {
    return;
  }
  mjsGeom* geom = mjs_addGeom(body, NULL);
  cfi_setOrigin(robot->r, node, geom->element);
  if (!is_collision) {
    geom->contype = geom->conaffinity = 0;
    geom->group = 1;
    geom->density = 0;
  }
  readShape(robot, geometry, geom);
  readOrigin(robot, node, geom->pos, geom->quat);
  if (rgba[0] >= 0) {
    memcpy(geom->rgba, rgba, sizeof(geom->rgba));
  }
  const char* name = cfi_attribute(node, "name");
  if (name && *name) {
    if (cfi_find(cfi_spec(robot->r->spec), mjOBJ_GEOM, name)) {
      cfi_warn(robot->r->report, node, "duplicate geom name '%s': the geom stays without name",
               name);
    } else {
      cfi_setElementName(cfi_element(geom->element), name);
    }
  }
}

static void readLink(cfRobot* robot, const cfLink* link) {
  float rgba[4] = {-1, 0, 0, 0};
  readLinkInertial(robot, link->node, link->body);
  for (const cfNode* node = link->node->first; node; node = node->next) {
    if (strcmp(node->tag, "visual") == 0) {
      readColor(robot, node, rgba);
      if (!robot->r->spec->compiler.discardvisual) {
        readGeom(robot, node, link->body, rgba);
      }
    } else if (strcmp(node->tag, "collision") == 0) {
      readGeom(robot, node, link->body, rgba);
    } else if (strcmp(node->tag, "inertial") != 0) {
      ignore(robot, node->tag);
    }
  }
}

//---------------------------------- joints --------------------------------------------------------

static mjsJoint* addJoint(cfRobot* robot, const cfNode* node, mjsBody* body, const char* name,
                          const char* suffix, mjtJoint type, const double axis[3]) {
  CF_ASSERT(body && name && suffix);
  char full[300];
  snprintf(full, sizeof(full), "%.250s%s", name, suffix);
  mjsJoint* joint = mjs_addJoint(body, NULL);
  joint->type = type;
  if (type != mjJNT_FREE) {
    memcpy(joint->axis, axis, sizeof(joint->axis));
  }
  setUniqueName(robot, node, joint->element, full);
  return joint;
}

// two slides in the plane and a hinge about its normal
static void addPlanar(cfRobot* robot, const cfNode* node, mjsBody* body, const char* name,
                      const double axis[3], mjsJoint* joint[3]) {
  double quat[4], mat[9];
  mju_quatZ2Vec(quat, axis);
  mju_quat2Mat(mat, quat);
  const double x[3] = {mat[0], mat[3], mat[6]}, y[3] = {mat[1], mat[4], mat[7]};
  joint[0] = addJoint(robot, node, body, name, "_TX", mjJNT_SLIDE, x);
  joint[1] = addJoint(robot, node, body, name, "_TY", mjJNT_SLIDE, y);
  joint[2] = addJoint(robot, node, body, name, "_RZ", mjJNT_HINGE, axis);
}

// joints of a type: how many were made, 0 for a fixed one, -1 after a report
static int makeJoints(cfRobot* robot, const cfNode* node, mjsBody* body, const double axis[3],
                      mjsJoint* joint[3]) {
  static const struct {
    const char* type;
    mjtJoint joint;
  } single[] = {{"revolute", mjJNT_HINGE},
                {"continuous", mjJNT_HINGE},
                {"prismatic", mjJNT_SLIDE},
                {"floating", mjJNT_FREE},
                {"spherical", mjJNT_BALL}};
  const char* type = cfi_readText(robot->r, node, "type", true);
  const char* name = cfi_readText(robot->r, node, "name", true);
  if (!type || !name) {
    return -1;
  }
  if (strcmp(type, "fixed") == 0) {
    return 0;
  }
  if (strcmp(type, "planar") == 0) {
    addPlanar(robot, node, body, name, axis, joint);
    return 3;
  }
  for (size_t i = 0; i < sizeof(single) / sizeof(single[0]); i++) {
    if (strcmp(single[i].type, type) == 0) {
      joint[0] = addJoint(robot, node, body, name, "", single[i].joint, axis);
      return 1;
    }
  }
  cfi_error(robot->r->report, node,
            "invalid joint type in URDF joint definition: '%s', allowed: revolute continuous "
            "prismatic fixed floating planar spherical",
            type);
  return -1;
}

static void readDynamics(cfRobot* robot, const cfNode* node, mjsJoint* joint[3], int count) {
  CF_ASSERT(count >= 0 && count <= 3);
  const cfNode* dynamics = onlyChild(robot, node, "dynamics", false);
  if (dynamics) {
    cfi_readDouble(robot->r, dynamics, "damping", &joint[0]->damping);
    cfi_readDouble(robot->r, dynamics, "friction", &joint[0]->frictionloss);
  }
  for (int i = 1; i < count; i++) {
    joint[i]->damping = joint[0]->damping;
    joint[i]->frictionloss = joint[0]->frictionloss;
  }
}

static void readLimit(cfRobot* robot, const cfNode* node, mjsJoint* joint) {
  const cfNode* limit = onlyChild(robot, node, "limit", false);
  double effort = 0;
  if (!limit) {
    return;
  }
  const bool has_lower = cfi_readDouble(robot->r, limit, "lower", &joint->range[0]);
  const bool has_upper = cfi_readDouble(robot->r, limit, "upper", &joint->range[1]);
  if (has_lower != has_upper || joint->range[0] > joint->range[1]) {
    joint->limited = mjLIMITED_FALSE;
  }
  cfi_readDouble(robot->r, limit, "effort", &effort);
  if (effort != 0) {
    joint->actfrcrange[0] = -fabs(effort);
    joint->actfrcrange[1] = fabs(effort);
  }
  if (cfi_attribute(limit, "velocity")) {
    ignore(robot, "limit/velocity");
  }
}

// position = multiplier * other + offset, where the file asks for it; MuJoCo knows no mimic
static void readMimic(cfRobot* robot, const cfNode* node, const mjsJoint* joint) {
  const cfNode* mimic = onlyChild(robot, node, "mimic", false);
  if (mimic && !robot->keeps_mimic) {
    ignore(robot, "mimic (<compiler cortenforge:mimic='true'> keeps it)");
    return;
  }
  const char* other = mimic ? cfi_readText(robot->r, mimic, "joint", true) : NULL;
  if (!other) {
    return;
  }
  mjsEquality* equality = mjs_addEquality(robot->r->spec, NULL);
  cfi_setOrigin(robot->r, mimic, equality->element);
  equality->type = mjEQ_JOINT;
  equality->objtype = mjOBJ_JOINT;
  mjs_setString(equality->name1, cfi_text(&cfi_element(joint->element)->name));
  mjs_setString(equality->name2, other);
  memset(equality->data, 0, 5 * sizeof(double));
  equality->data[1] = 1;
  cfi_readDouble(robot->r, mimic, "offset", &equality->data[0]);
  cfi_readDouble(robot->r, mimic, "multiplier", &equality->data[1]);
}

static void readJoint(cfRobot* robot, const cfNode* node) {
  static const char known[] = "parent child origin axis dynamics limit mimic";
  const cfNode* end = cfi_firstChild(node, "child");
  const int id = findLink(robot, end ? cfi_attribute(end, "link") : NULL);
  mjsBody* body = id >= 0 ? robot->link[id].body : NULL;
  const cfNode* axis_node = onlyChild(robot, node, "axis", false);
  double axis[3] = {1, 0, 0};
  mjsJoint* joint[3];
  if (!body) {
    return;
  }
  readOrigin(robot, node, body->pos, body->quat);
  if (axis_node && cfi_require(robot->r, axis_node, "xyz")) {
    cfi_readNumbers(robot->r, axis_node, "xyz", axis, 3, true);
  }
  const int count = makeJoints(robot, node, body, axis, joint);
  if (count > 0) {
    readDynamics(robot, node, joint, count);
    readLimit(robot, node, joint[0]);
    readMimic(robot, node, joint[0]);
  }
  for (const cfNode* child = node->first; child; child = child->next) {
    if (!cfi_hasWord(known, child->tag)) {
      ignore(robot, child->tag);
    }
  }
}

//---------------------------------- robot ---------------------------------------------------------

// settings of the engine may stand in a mujoco element
static void readSettings(cfRobot* robot, const cfNode* root) {
  const cfNode* node = onlyChild(robot, root, "mujoco", false);
  const cfNode* section;
  if (node && (section = onlyChild(robot, node, "compiler", false))) {
    const char* mimic = cfi_attribute(section, "cortenforge:mimic");
    cfi_readCompiler(robot->r, section);
    robot->keeps_mimic = mimic && strcmp(mimic, "true") == 0;
  }
  if (node && (section = onlyChild(robot, node, "option", false))) {
    cfi_readOption(robot->r, section);
  }
  if (node && (section = onlyChild(robot, node, "size", false))) {
    cfi_readSize(robot->r, section);
  }
  robot->r->spec->compiler.degree = 0;
}

static void readParts(cfRobot* robot, const cfNode* root) {
  static const char known[] = "link joint material mujoco";
  for (int i = 0; i < robot->nlink; i++) {
    if (robot->link[i].body) {
      readLink(robot, &robot->link[i]);
    }
  }
  for (const cfNode* node = root->first; node; node = node->next) {
    if (strcmp(node->tag, "joint") == 0) {
      readJoint(robot, node);
    } else if (!cfi_hasWord(known, node->tag)) {
      ignore(robot, node->tag);
    }
  }
}

void cfi_readRobot(cfReader* r, cfNode* root) {
  cfRobot robot = {.r = r};
  cfNode* settings = cfi_firstChild(root, "mujoco");
  if (settings) {
    cfi_bindRows(settings, TAG_MUJOCO);
  }
  readSettings(&robot, root);
  const char* name = cfi_attribute(root, "name");
  if (name) {
    mjs_setString(r->spec->modelname, name);
  }
  collectLinks(&robot, root);
  connectLinks(&robot, root);
  makeBodies(&robot, root);
  readParts(&robot, root);
  if (robot.ignored[0]) {
    cfi_warn(r->report, root, "ignored in URDF:%s", robot.ignored);
  }
  free(robot.link);
}
