// Sizes of the model, counted from the draft before anything is allocated.
#include "compile/phases.h"

#include <string.h>

#include "base/assert.h"
#include "compile/asset.h"
#include "compile/placement.h"

//---------------------------------- lists ---------------------------------------------------------

static void countLists(cfDraft* draft, mjModel* s) {
  const struct {
    mjtSize* size;
    mjtObj type;
  } lists[] = {
      {&s->nbody, mjOBJ_BODY},       {&s->njnt, mjOBJ_JOINT},       {&s->ngeom, mjOBJ_GEOM},
      {&s->nflex, mjOBJ_FLEX},       {&s->nsite, mjOBJ_SITE},       {&s->ncam, mjOBJ_CAMERA},
      {&s->nlight, mjOBJ_LIGHT},     {&s->nmesh, mjOBJ_MESH},       {&s->nskin, mjOBJ_SKIN},
      {&s->nhfield, mjOBJ_HFIELD},   {&s->ntex, mjOBJ_TEXTURE},     {&s->nmat, mjOBJ_MATERIAL},
      {&s->npair, mjOBJ_PAIR},       {&s->nexclude, mjOBJ_EXCLUDE}, {&s->neq, mjOBJ_EQUALITY},
      {&s->ntendon, mjOBJ_TENDON},   {&s->nu, mjOBJ_ACTUATOR},      {&s->nsensor, mjOBJ_SENSOR},
      {&s->nnumeric, mjOBJ_NUMERIC}, {&s->ntext, mjOBJ_TEXT},       {&s->ntuple, mjOBJ_TUPLE},
      {&s->nkey, mjOBJ_KEY},         {&s->nplugin, mjOBJ_PLUGIN},
  };
  for (size_t k = 0; k < sizeof(lists) / sizeof(lists[0]); k++) {
    *lists[k].size = cfi_parts(draft, lists[k].type)->count;
  }
}


// characters of all names and of the paths of assets
static void countText(cfDraft* draft, mjModel* s) {
  s->nnames = (mjtSize)strlen(cfi_text(draft->spec->pub.modelname)) + 1;
  for (int type = 0; type < mjNOBJECT; type++) {
    const cfPartList* list = cfi_parts(draft, (mjtObj)type);
    for (int i = 0; i < list->count; i++) {
      s->nnames += (mjtSize)strlen(list->item[i]->name) + 1;
    }
  }
  const mjtObj kinds[4] = {mjOBJ_HFIELD, mjOBJ_MESH, mjOBJ_SKIN, mjOBJ_TEXTURE};
  for (int k = 0; k < 4; k++) {
    const cfPartList* list = cfi_parts(draft, kinds[k]);
    for (int i = 0; i < list->count; i++) {
      const size_t length = strlen(cfi_fileOf(list->item[i]));
      s->npaths += length ? (mjtSize)length + 1 : 0;
    }
  }
  s->npaths = s->npaths ? s->npaths : 1;
}


static void countUser(const cfDraft* draft, mjModel* s) {
  s->nuser_body = cfi_userRoom(draft, mjOBJ_BODY);
  s->nuser_jnt = cfi_userRoom(draft, mjOBJ_JOINT);
  s->nuser_geom = cfi_userRoom(draft, mjOBJ_GEOM);
  s->nuser_site = cfi_userRoom(draft, mjOBJ_SITE);
  s->nuser_cam = cfi_userRoom(draft, mjOBJ_CAMERA);
  s->nuser_tendon = cfi_userRoom(draft, mjOBJ_TENDON);
  s->nuser_actuator = cfi_userRoom(draft, mjOBJ_ACTUATOR);
  s->nuser_sensor = cfi_userRoom(draft, mjOBJ_SENSOR);
}


//---------------------------------- assets --------------------------------------------------------

static void countMeshes(cfDraft* draft, mjModel* s) {
  const cfPartList* meshes = cfi_parts(draft, mjOBJ_MESH);
  for (int i = 0; i < meshes->count; i++) {
    const cfMeshData* data = ((const cfMeshDraft*)meshes->item[i])->data;
    s->nmeshvert += data->nvert;
    s->nmeshnormal += data->nnormal;
    s->nmeshtexcoord += data->ntexcoord;
    s->nmeshface += data->nface;
    s->nmeshgraph += data->ngraph;
    s->nmeshpoly += data->npoly;
    s->nmeshpolyvert += data->npolyvert;
    s->nmeshpolymap += data->npolymap;
    s->nbvhstatic += data->bvh.count;
    s->noct += data->octree.count;
  }
}


static void countOtherAssets(cfDraft* draft, mjModel* s) {
  const cfPartList* skins = cfi_parts(draft, mjOBJ_SKIN);
  for (int i = 0; i < skins->count; i++) {
    const cfSkinData* data = ((const cfSkinDraft*)skins->item[i])->data;
    s->nskinvert += data->nvert;
    s->nskintexvert += data->ntexcoord;
    s->nskinface += data->nface;
    s->nskinbone += data->nbone;
    for (int k = 0; k < data->nbone; k++) {
      s->nskinbonevert += data->bonevertnum[k];
    }
  }
  const cfPartList* hfields = cfi_parts(draft, mjOBJ_HFIELD);
  for (int i = 0; i < hfields->count; i++) {
    const cfHFieldData* data = ((const cfHFieldDraft*)hfields->item[i])->data;
    s->nhfielddata += (mjtSize)data->nrow * data->ncol;
  }
  const cfPartList* textures = cfi_parts(draft, mjOBJ_TEXTURE);
  for (int i = 0; i < textures->count; i++) {
    const cfTextureData* data = ((const cfTextureDraft*)textures->item[i])->data;
    s->ntexdata += (mjtSize)data->nchannel * data->width * data->height;
  }
}


//---------------------------------- tree ----------------------------------------------------------

// coordinates, dofs, trees, mocap bodies; addresses of joints
static void countTree(cfDraft* draft, mjModel* s) {
  const cfPartList* bodies = cfi_parts(draft, mjOBJ_BODY);
  for (int i = 0; i < bodies->count; i++) {
    cfBodyDraft* body = cfi_bodyAt(draft, i);
    body->mocapid = body->attr.mocap ? (int)s->nmocap++ : -1;
    s->nbvhstatic += body->bvh.count;

    // a moving body on static ground starts a tree
    s->ntree += i && body->joints.count && body->parent->weldid == 0;
    for (int k = 0; k < body->joints.count; k++) {
      cfJointDraft* joint = (cfJointDraft*)body->joints.item[k];
      joint->qposadr = (int)s->nq;
      joint->dofadr = (int)s->nv;
      s->nq += cfi_jointCoordinates(joint->attr.type);
      s->nv += cfi_jointDofs(joint->attr.type);
    }
  }
}


// entries of the inertia matrix and of the body-dof matrix
static void countSparse(cfDraft* draft, mjModel* s) {
  const cfPartList* bodies = cfi_parts(draft, mjOBJ_BODY);
  int* above =
      (int*)cfi_poolAlloc(&draft->pool, bodies->count, sizeof(int));  // dofs of all ancestors
  int* below =
      (int*)cfi_poolAlloc(&draft->pool, bodies->count, sizeof(int));  // dofs of the subtree
  for (int i = 1; i < bodies->count; i++) {
    const cfBodyDraft *body = cfi_bodyAt(draft, i), *parent = body->parent;
    above[i] = above[parent->part.id] + parent->dofnum;
    for (int k = 0; k < body->dofnum; k++) {
      s->nM += above[i] + k + 1;
    }
  }
  for (int i = bodies->count - 1; i > 0; i--) {
    const cfBodyDraft* body = cfi_bodyAt(draft, i);
    below[i] += body->dofnum;
    below[body->parent->part.id] += below[i];
  }
  for (int i = 0; i < bodies->count && s->nv; i++) {
    s->nB += below[i] + above[i];
  }
  s->nD = 2 * s->nM - s->nv;
}


//---------------------------------- objects outside the tree --------------------------------------

// per sample time and value, besides two numbers of the buffer itself
static mjtSize actuatorHistory(int nsample) {
  return nsample > 0 ? 2 + 2 * (mjtSize)nsample : 0;
}


// addresses of activations and history buffers; nonzeros of the moment matrix
static void countActuators(cfDraft* draft, mjModel* s) {
  const cfPartList* actuators = cfi_parts(draft, mjOBJ_ACTUATOR);
  for (int i = 0; i < actuators->count; i++) {
    cfActuatorDraft* actuator = (cfActuatorDraft*)actuators->item[i];
    const mjsActuator* attr = &actuator->attr;
    actuator->actadr = attr->actdim ? (int)s->na : -1;
    s->na += attr->actdim;

    actuator->historyadr = attr->nsample > 0 ? (int)s->nhistory : -1;
    s->nhistory += actuatorHistory(attr->nsample);
    if (attr->trntype == mjTRN_JOINT || attr->trntype == mjTRN_JOINTINPARENT) {
      const cfPart* joint = cfi_parts(draft, mjOBJ_JOINT)->item[actuator->trnid[0]];
      s->nJmom += cfi_jointDofs(((const cfJointDraft*)joint)->attr.type);
    } else {
      s->nJmom += s->nv;
    }
  }
}


// addresses of readings and history buffers, these behind the ones of actuators
void cfi_placeSensors(cfDraft* draft, mjModel* s) {
  const cfPartList *sensors = cfi_parts(draft, mjOBJ_SENSOR),
                   *actuators = cfi_parts(draft, mjOBJ_ACTUATOR);
  s->nsensordata = s->nhistory = 0;
  for (int i = 0; i < actuators->count; i++) {
    const int nsample = ((const cfActuatorDraft*)actuators->item[i])->attr.nsample;
    s->nhistory += actuatorHistory(nsample);
  }
  for (int i = 0; i < sensors->count; i++) {
    cfSensorDraft* sensor = (cfSensorDraft*)sensors->item[i];
    const mjsSensor* attr = &sensor->attr;
    sensor->adr = (int)s->nsensordata;
    s->nsensordata += attr->dim;
    sensor->historyadr = attr->nsample > 0 ? (int)s->nhistory : -1;
    s->nhistory += attr->nsample > 0 ? 2 + (mjtSize)attr->nsample * (1 + (mjtSize)attr->dim) : 0;
  }
}


static void countObjects(cfDraft* draft, mjModel* s) {
  const cfPartList* equalities = cfi_parts(draft, mjOBJ_EQUALITY);
  s->nemax = draft->spec->pub.nemax;
  for (int i = 0; i < equalities->count; i++) {
    const int type = ((const cfEqualityDraft*)equalities->item[i])->attr.type;
    s->nemax += type == mjEQ_CONNECT ? 3 : (type == mjEQ_WELD ? 7 : 1);
  }
  const cfPartList* tendons = cfi_parts(draft, mjOBJ_TENDON);
  for (int i = 0; i < tendons->count; i++) {
    s->nwrap += ((const cfTendonDraft*)tendons->item[i])->nwrap;
  }
  const cfPartList* numerics = cfi_parts(draft, mjOBJ_NUMERIC);
  for (int i = 0; i < numerics->count; i++) {
    s->nnumericdata += ((const cfNumericDraft*)numerics->item[i])->attr.size;
  }
  const cfPartList* texts = cfi_parts(draft, mjOBJ_TEXT);
  for (int i = 0; i < texts->count; i++) {
    s->ntextdata += (mjtSize)strlen(cfi_text(((const cfTextDraft*)texts->item[i])->attr.data)) + 1;
  }
  const cfPartList* tuples = cfi_parts(draft, mjOBJ_TUPLE);
  for (int i = 0; i < tuples->count; i++) {
    s->ntupledata += cfi_countInts(((const cfTupleDraft*)tuples->item[i])->attr.objtype);
  }
}


// numbers that a few characters of a model can ask for, all together
static const mjtSize most_numbers = (mjtSize)1 << 25;


static void checkRoom(cfDraft* draft, mjtSize* room, const char* what, mjtSize rows,
                      mjtSize columns) {
  CF_ASSERT(rows >= 0 && columns >= 0 && *room >= 0);
  if (columns && rows > *room / columns) {
    cfi_fail(draft, NULL, "%s would take %.3g numbers, at most %lld are allowed%s", what,
             (double)rows * (double)columns, (long long)*room,
             *room < most_numbers ? " with what other sizes take" : "");
  }
  *room -= rows * columns;
}


// what a size, a sensor, a delay or a long chain asks for is bounded before there is memory for it
static void checkSizes(cfDraft* draft, const mjModel* s) {
  mjtSize room = most_numbers, matrices = most_numbers;
  const mjtSize userdata =
      s->nuserdata > 0 ? s->nuserdata : 0;  // negative: mj_makeModel refuses it
  checkRoom(draft, &room, "nuser_body", s->nbody, s->nuser_body);
  checkRoom(draft, &room, "nuser_jnt", s->njnt, s->nuser_jnt);
  checkRoom(draft, &room, "nuser_geom", s->ngeom, s->nuser_geom);
  checkRoom(draft, &room, "nuser_site", s->nsite, s->nuser_site);
  checkRoom(draft, &room, "nuser_cam", s->ncam, s->nuser_cam);
  checkRoom(draft, &room, "nuser_tendon", s->ntendon, s->nuser_tendon);
  checkRoom(draft, &room, "nuser_actuator", s->nu, s->nuser_actuator);
  checkRoom(draft, &room, "nuser_sensor", s->nsensor, s->nuser_sensor);
  checkRoom(draft, &room, "nkey", s->nkey, s->nq + s->nv + s->na + s->nu + 7 * s->nmocap + 1);
  checkRoom(draft, &room, "user data, readings of sensors and histories of delays",
            userdata + s->nsensordata + s->nhistory, 1);
  checkRoom(draft, &matrices, "inertia matrix of a long chain of bodies", s->nM, 1);
}


void cfi_countSizes(cfDraft* draft) {
  mjModel* s = &draft->sizes;
  const mjSpec* spec = &draft->spec->pub;
  countLists(draft, s);
  countText(draft, s);
  countUser(draft, s);
  countTree(draft, s);
  countSparse(draft, s);
  countMeshes(draft, s);
  countOtherAssets(draft, s);
  countActuators(draft, s);
  cfi_placeSensors(draft, s);
  countObjects(draft, s);
  s->nC = cfi_countReducedInertia(draft);
  s->nbvhstatic += draft->nbvhspare;
  cfi_countFlexes(draft, s);
  s->nbvh = s->nbvhstatic + s->nbvhdynamic;
  s->njmax = spec->njmax;
  s->nconmax = spec->nconmax;
  s->nuserdata = spec->nuserdata;
  checkSizes(draft, s);
}
