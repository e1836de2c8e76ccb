// Flexes into mjModel: sizes, then arrays.
#include <string.h>

#include <cortenforge/flex.h>

#include "compile/fill.h"
#include "compile/flexdata.h"
#include "compile/phases.h"
#include "flex/models.h"

static const cfFlexDraft* flexAt(cfDraft* draft, int i) {
  return (const cfFlexDraft*)cfi_parts(draft, mjOBJ_FLEX)->item[i];
}


//---------------------------------- sizes ---------------------------------------------------------

// bodies that were met in the row of a Jacobian being counted
typedef struct {
  int* row;      // per body: the last row it was met in
  int current;   // that row, from 1 on
  mjtSize dofs;  // of the bodies met, all rows together
} rowCounter;


// all bodies that move a body
static void meetChain(rowCounter* counter, const cfBodyDraft* body) {
  for (; body && counter->row[body->part.id] != counter->current; body = body->parent) {
    counter->row[body->part.id] = counter->current;
    counter->dofs += body->dofnum;
  }
}


static rowCounter newCounter(cfDraft* draft) {
  const size_t count = (size_t)cfi_parts(draft, mjOBJ_BODY)->count;
  return (rowCounter){(int*)cfi_poolAlloc(&draft->pool, count, sizeof(int)), 0, 0};
}


// entries of the edge Jacobian
static mjtSize countEdgeEntries(cfDraft* draft, const cfFlexData* data) {
  rowCounter counter = newCounter(draft);
  for (int e = 0; e < data->nedge; e++) {
    counter.current++;
    meetChain(&counter, cfi_bodyAt(draft, data->vertbody[data->edge[2 * e]]));
    meetChain(&counter, cfi_bodyAt(draft, data->vertbody[data->edge[2 * e + 1]]));
  }
  return counter.dofs;
}


// entries of the Jacobian of vertices and their neighbors; `start` and `neighbor` list these
static mjtSize countVertexEntries(cfDraft* draft, const cfFlexData* data) {
  cfPool* pool = &draft->pool;
  int* start = (int*)cfi_poolAlloc(pool, (size_t)data->nvert + 2, sizeof(int));
  int* neighbor = (int*)cfi_poolAlloc(pool, 2 * (size_t)data->nedge, sizeof(int));
  for (int k = 0; k < 2 * data->nedge; k++) {
    start[data->edge[k] + 2]++;
  }
  for (int v = 0; v < data->nvert; v++) {
    start[v + 2] += start[v + 1];
  }
  for (int k = 0; k < 2 * data->nedge; k++) {
    neighbor[start[data->edge[k] + 1]++] = data->edge[k ^ 1];
  }
  rowCounter counter = newCounter(draft);
  for (int v = 0; v < data->nvert; v++) {
    counter.current++;
    meetChain(&counter, cfi_bodyAt(draft, data->vertbody[v]));
    for (int k = start[v]; k < start[v + 1]; k++) {
      meetChain(&counter, cfi_bodyAt(draft, data->vertbody[neighbor[k]]));
    }
  }
  return counter.dofs;
}


void cfi_countFlexes(cfDraft* draft, mjModel* s) {
  for (int i = 0; i < cfi_parts(draft, mjOBJ_FLEX)->count; i++) {
    const cfFlexData* data = flexAt(draft, i)->data;
    s->nflexnode += data->nnode;
    s->nflexvert += data->nvert;
    s->nflexedge += data->nedge;
    s->nflexelem += data->nelem;
    s->nflexelemdata += (mjtSize)data->nelem * (data->dim + 1);
    s->nflexelemedge += (mjtSize)data->nelem * cfi_flexEdgeCount(data->dim);
    s->nflexshelldata += data->nshell;
    s->nflexevpair += data->nevpair;
    s->nflextexcoord += data->ntexcoord;
    s->nbvhdynamic += data->bvh.count;
    if (!data->is_rigid && !data->is_interpolated) {
      s->nJfe += countEdgeEntries(draft, data);
      s->nJfv += countVertexEntries(draft, data);
    }
  }
}


//---------------------------------- arrays --------------------------------------------------------

// next free place in the arrays of all flexes
typedef struct {
  int vert, node, edge, elem, elemdata, elemedge, shelldata, evpair, texcoord, bvh;
} flexPlaces;


// copy `count` items, none from NULL
#define COPY_FLEX(to, from, count)                           \
  do {                                                       \
    if ((count) > 0 && (from)) {                             \
      memcpy((to), (from), (size_t)(count) * sizeof(*(to))); \
    }                                                        \
  } while (0)


static void fillFlexHeader(mjModel* m, const cfFlexData* p, int i, const flexPlaces* at) {
  const cfAssetRange ranges[] = {
      {m->flex_vertadr, m->flex_vertnum, at->vert, p->nvert, false},
      {m->flex_nodeadr, m->flex_nodenum, at->node, p->nnode, false},
      {m->flex_edgeadr, m->flex_edgenum, at->edge, p->nedge, false},
      {m->flex_elemadr, m->flex_elemnum, at->elem, p->nelem, false},
      {m->flex_elemdataadr, NULL, at->elemdata, p->nelem, false},
      {m->flex_elemedgeadr, NULL, at->elemedge, p->nelem, false},
      {m->flex_shelldataadr, m->flex_shellnum, at->shelldata, p->nshell / p->dim, true},
      {m->flex_evpairadr, m->flex_evpairnum, at->evpair, p->nevpair, true},
      {m->flex_texcoordadr, NULL, at->texcoord, p->ntexcoord, true},
      {m->flex_bvhadr, m->flex_bvhnum, at->bvh, p->bvh.count, true},
  };
  cfi_setRanges(ranges, sizeof(ranges) / sizeof(ranges[0]), i);
  m->flex_interp[i] = p->order;
  m->flex_rigid[i] = p->is_rigid;
  m->flex_centered[i] = p->is_centered;
  mju_copy3(m->flex_size + 3 * i, p->size);
}


// kind of equality constraint on the edges: 1 for their lengths, 2 for strain at vertices
static int edgeEqualityOf(cfDraft* draft, int flex) {
  const cfPartList* equalities = cfi_parts(draft, mjOBJ_EQUALITY);
  for (int k = 0; k < equalities->count; k++) {
    const cfEqualityDraft* eq = (const cfEqualityDraft*)equalities->item[k];
    const bool is_edge = eq->attr.type == mjEQ_FLEX;
    if ((is_edge || eq->attr.type == mjEQ_FLEXVERT) && eq->obj1id == flex) {
      return is_edge ? 1 : 2;
    }
  }
  return 0;
}


static void fillFlexPoints(mjModel* m, const cfFlexData* p, const flexPlaces* at) {
  COPY_FLEX(m->flex_vert + 3 * at->vert, p->vert, 3 * p->nvert);
  COPY_FLEX(m->flex_node + 3 * at->node, p->node, 3 * p->nnode);
  COPY_FLEX(m->flex_vert0 + 3 * at->vert, p->vert0, 3 * p->nvert);
  COPY_FLEX(m->flex_node0 + 3 * at->node, p->nodepos, 3 * p->nnode);
  COPY_FLEX(m->flex_vertbodyid + at->vert, p->vertbody, p->nvert);
  COPY_FLEX(m->flex_nodebodyid + at->node, p->nodebody, p->nnode);
}


static void fillFlexElements(mjModel* m, const cfFlexData* p, const flexPlaces* at) {
  const int corners = (p->dim + 1) * p->nelem;
  COPY_FLEX(m->flex_elem + at->elemdata, p->elem, corners);
  COPY_FLEX(m->flex_elemedge + at->elemedge, p->elemedge, cfi_flexEdgeCount(p->dim) * p->nelem);
  COPY_FLEX(m->flex_elemlayer + at->elem, p->elemlayer, p->nelem);
  COPY_FLEX(m->flex_shell + at->shelldata, p->shell, p->nshell);
  COPY_FLEX(m->flex_evpair + 2 * at->evpair, p->evpair, 2 * p->nevpair);
  COPY_FLEX(m->flex_texcoord + 2 * at->texcoord, p->texcoord, 2 * p->ntexcoord);
  COPY_FLEX(m->flex_elemtexcoord + at->elemdata, p->ntexcoord ? p->elemtexcoord : p->elem,
            p->ntexcoord ? p->nelemtexcoord : corners);
  COPY_FLEX(m->flex_stiffness + CF_STIFFNESS_SIZE * (size_t)at->elem, p->stiffness,
            CF_STIFFNESS_SIZE * (size_t)p->nelem);
  COPY_FLEX(m->bvh_child + 2 * at->bvh, p->bvh.child, 2 * p->bvh.count);
  COPY_FLEX(m->bvh_depth + at->bvh, p->bvh.depth, p->bvh.count);
  COPY_FLEX(m->bvh_nodeid + at->bvh, p->bvh.nodeid, p->bvh.count);
}


// do the bodies at both ends of an edge move as one
static bool isRigidEdge(const mjModel* m, const cfFlexData* p, int edge) {
  if (p->is_rigid || p->is_interpolated) {
    return p->is_rigid;
  }
  const int* end = p->edge + 2 * (size_t)edge;
  return m->body_weldid[p->vertbody[end[0]]] == m->body_weldid[p->vertbody[end[1]]];
}


static void fillFlexEdges(mjModel* m, const cfFlexData* p, const flexPlaces* at) {
  COPY_FLEX(m->flex_edge + 2 * at->edge, p->edge, 2 * p->nedge);
  COPY_FLEX(m->flex_bending + CF_BENDING_SIZE * (size_t)at->edge, p->bending,
            CF_BENDING_SIZE * (size_t)p->nedge);
  for (int k = 0; k < p->nedge; k++) {
    int* opposite = m->flex_edgeflap + 2 * (size_t)(at->edge + k);
    opposite[0] = p->has_bending ? p->flap[4 * (size_t)k + 2] : -1;
    opposite[1] = p->has_bending ? p->flap[4 * (size_t)k + 3] : -1;
    m->flexedge_rigid[at->edge + k] = isRigidEdge(m, p, k);
  }
}


void cfi_fillFlexes(cfDraft* draft) {
  mjModel* m = draft->model;
  flexPlaces at = {.bvh = (int)m->nbvhstatic};
  for (int i = 0; i < m->nflex; i++) {
    const cfFlexDraft* flex = flexAt(draft, i);
    const cfFlexData* p = flex->data;
    cfi_fillElement(m, FIELDS_FLEX, flex, i);
    cfi_fillElement(m, FIELDS_FLEXCON, flex, i);
    cfi_fillElement(m, FIELDS_FLEXEDGE, flex, i);
    cfi_fillElement(m, FIELDS_FLEXELAST, flex, i);
    fillFlexHeader(m, p, i, &at);
    m->flex_edgeequality[i] = edgeEqualityOf(draft, i);
    fillFlexPoints(m, p, &at);
    fillFlexElements(m, p, &at);
    fillFlexEdges(m, p, &at);
    at = (flexPlaces){at.vert + p->nvert,
                      at.node + p->nnode,
                      at.edge + p->nedge,
                      at.elem + p->nelem,
                      at.elemdata + (p->dim + 1) * p->nelem,
                      at.elemedge + cfi_flexEdgeCount(p->dim) * p->nelem,
                      at.shelldata + p->nshell,
                      at.evpair + p->nevpair,
                      at.texcoord + p->ntexcoord,
                      at.bvh + p->bvh.count};
  }
}


//---------------------------------- models --------------------------------------------------------

// hinges at rest near a right angle need to know the rigidity of their plate
static void keepRigidity(cfDraft* draft, const cfFlexDraft* flex, int i) {
  const double rigidity = cfi_flexRigidityOf(flex->data, &flex->attr);
  const cfElement* e = flex->part.origin;
  const bool is_asked =
      flex->data->is_folded || e->part.flex.needs_hinges || cfi_length(&e->part.flex.model[0]);
  if (rigidity > 0 && is_asked && !cfi_setFlexRigidity(draft->model, i, rigidity)) {
    cfi_fail(draft, &flex->part, "no memory for the rigidity of a flex");
  }
}


// is there anything that implicit stiffness could make implicit?
static bool isElasticFlex(const mjsFlex* flex, const cfElement* e) {
  return flex->young > 0 || flex->edgestiffness > 0 || flex->edgedamping > 0 ||
         cfi_length(&e->part.flex.model[0]) || cfi_length(&e->part.flex.model[1]);
}


void cfi_chooseFlexModels(cfDraft* draft) {
  static int (*const choose[2])(mjModel*, int, const char*, char*, int) = {cf_setFlexBending,
                                                                           cf_setFlexElasticity};
  for (int i = 0; i < draft->model->nflex; i++) {
    const cfFlexDraft* flex = flexAt(draft, i);
    const cfElement* e = flex->part.origin;
    char error[500] = "";
    keepRigidity(draft, flex, i);
    for (int k = 0; k < 2; k++) {
      const cfString* name = &e->part.flex.model[k];
      if (cfi_length(name) && !choose[k](draft->model, i, cfi_text(name), error, sizeof(error))) {
        cfi_fail(draft, &flex->part, "%s", error);
      }
    }
    if (e->part.flex.is_implicit && draft->model->opt.integrator == mjINT_RK4) {
      cfi_fail(draft, &flex->part,
               "a flex has implicit stiffness, which integrator RK4 does not know: choose Euler, "
               "implicit or implicitfast");
    }
    if (e->part.flex.is_implicit && !isElasticFlex(&flex->attr, e)) {
      cfi_fail(draft, &flex->part,
               "implicit_stiffness, but nothing is stiff: <elasticity> with young, or <edge> with "
               "stiffness or damping, is needed");
    }
    if (!cf_setFlexImplicit(draft->model, i, e->part.flex.is_implicit, error, sizeof(error))) {
      cfi_fail(draft, &flex->part, "%s", error);
    }
  }
}

#undef COPY_FLEX
