// The part of a plan that contacts and constraint rows need.  Included by plan.h.
//
// Each list is made twice: its names, which all worlds share, and its numbers, which follow from
// parameters.  False: there is no memory to make it.

// pairs of geoms, with room for numbers of lists of dofs behind them; NULL: there is no memory
static cfTeamPair* planListPairs(const mjModel* m, const cfTeamShape* s) {
  char reason[200];
  const size_t npair = (size_t)s->npair, nchain = (size_t)s->nchain;
  cfTeamPair* pair = cfi_tryMalloc(sizeof(cfTeamPair) * npair + sizeof(mjtNum) * nchain + 1);
  if (pair) {
    const int count = cfi_teamPairs(m, pair, s->npair, reason, sizeof(reason));
    CF_ASSERT(count == s->npair);
    (void)count;
  }
  return pair;
}


static bool planPairs(const mjModel* m, const cfTeamShape* s, const cfTeamModel* plan, char* block,
                      uint64_t address) {
  cfTeamPair* pair = planListPairs(m, s);
  for (int k = 0; pair && k < s->npair; k++) {
    CF_PLAN_SET(pair_weight, k, pair[k].weight);
    CF_PLAN_SET(pair_margin, k, pair[k].margin);
    CF_PLAN_SET(pair_includemargin, k, pair[k].includemargin);
    planNumbers((cfReal*)CF_PLAN(pair_friction) + 5 * k, pair[k].friction, 5);
    planNumbers((cfReal*)CF_PLAN(pair_gain) + 3 * k, pair[k].gain, 3);
    planNumbers((cfReal*)CF_PLAN(pair_imp) + 5 * k, pair[k].imp, 5);
  }
  mju_free(pair);
  return pair != NULL;
}


// vertices, graph and hints of a mesh into their places
static void planHull(const mjModel* m, int mesh, float* vert, int* graph, int* start) {
  const size_t bytes = 3 * sizeof(float) * (size_t)m->mesh_vertnum[mesh];
  const int length = cfi_teamGraphLength(m, mesh);
  memcpy(vert, m->mesh_vert + 3 * (size_t)m->mesh_vertadr[mesh], bytes);
  memset(start, 0, sizeof(int) * CF_HULL_DIRECTIONS);
  if (length) {
    memcpy(graph, m->mesh_graph + m->mesh_graphadr[mesh], sizeof(int) * (size_t)length);
    cfi_findHullStarts(m, mesh, start);
  }
}


// meshes that collide
static void planHulls(const mjModel* m, const cfTeamShape* s, const cfTeamPair* pair,
                      const cfTeamModel* plan, char* block, uint64_t address) {
  int hull = 0, vert = 0, graph = 0;
  for (int g = 0; g < m->ngeom; g++) {
    CF_PLAN_SET(geom_hull, g, -1);
  }
  for (int mesh = 0; mesh < m->nmesh; mesh++) {
    if (!cfi_isTeamHull(m, pair, s->npair, mesh)) {
      continue;
    }
    const int length = cfi_teamGraphLength(m, mesh);
    planHull(m, mesh, (float*)CF_PLAN(hull_vert) + 3 * vert, (int*)CF_PLAN(hull_graph) + graph,
             (int*)CF_PLAN(hull_start) + CF_HULL_DIRECTIONS * hull);
    CF_PLAN_SET(hull_vertadr, hull, vert);
    CF_PLAN_SET(hull_vertnum, hull, m->mesh_vertnum[mesh]);
    CF_PLAN_SET(hull_graphadr, hull, length ? graph : -1);
    for (int g = 0; g < m->ngeom; g++) {
      if (m->geom_type[g] == mjGEOM_MESH && m->geom_dataid[g] == mesh) {
        CF_PLAN_SET(geom_hull, g, hull);
      }
    }
    hull++;
    vert += m->mesh_vertnum[mesh];
    graph += length;
  }
  CF_ASSERT(hull == s->nhull && vert == s->nhullvert && graph == s->nhullgraph);
}


// pairs of geoms, their meshes and the lists of dofs
static bool planPairNames(const mjModel* m, const cfTeamShape* s, const cfTeamModel* plan,
                          char* block, uint64_t address) {
  cfTeamPair* pair = planListPairs(m, s);
  if (!pair) {
    return false;
  }
  mjtNum* coef = (mjtNum*)(pair + s->npair);
  const int length = cfi_teamChains(m, pair, s->npair, CF_PLAN(chain_dof), coef);
  CF_ASSERT(length == s->nchain);
  planNumbers(CF_PLAN(chain_coef), coef, length);
  for (int k = 0; k < s->npair; k++) {
    const cfTeamPair* p = pair + k;
    CF_PLAN_SET(pair_first, k, p->first);
    CF_PLAN_SET(pair_second, k, p->second);
    CF_PLAN_SET(pair_kind, k, p->kind);
    CF_PLAN_SET(pair_dim, k, p->dim);
    CF_PLAN_SET(pair_chain, k, p->chain);
    CF_PLAN_SET(pair_num, k, p->num);
    CF_PLAN_SET(pair_root1, k, m->body_rootid[p->body[0]]);
    CF_PLAN_SET(pair_root2, k, m->body_rootid[p->body[1]]);
  }
  planHulls(m, s, pair, plan, block, address);
  mju_free(pair);
  return true;
}


// limits, and friction losses behind them; NULL: there is no memory
static cfTeamLimit* planListLimits(const mjModel* m, const cfTeamShape* s, cfTeamLoss** loss) {
  const size_t nlimit = (size_t)s->nlimit, nloss = (size_t)s->nloss;
  cfTeamLimit* limit = cfi_tryMalloc(sizeof(cfTeamLimit) * nlimit + sizeof(cfTeamLoss) * nloss + 1);
  if (limit) {
    *loss = (cfTeamLoss*)(limit + nlimit);
    cfi_teamLosses(m, *loss);
    cfi_teamLimits(m, limit);
  }
  return limit;
}


// friction loss and limits
static bool planLimited(const mjModel* m, const cfTeamShape* s, const cfTeamModel* plan,
                        char* block, uint64_t address) {
  cfTeamLoss* loss;
  cfTeamLimit* limit = planListLimits(m, s, &loss);
  if (!limit) {
    return false;
  }
  for (int k = 0; k < s->nloss; k++) {
    CF_PLAN_SET(loss_force, k, loss[k].force);
    CF_PLAN_SET(loss_D, k, loss[k].D);
    CF_PLAN_SET(loss_B, k, loss[k].B);
  }
  for (int k = 0; k < s->nlimit; k++) {
    CF_PLAN_SET(limit_margin, k, limit[k].margin);
    CF_PLAN_SET(limit_weight, k, limit[k].weight);
    planNumbers((cfReal*)CF_PLAN(limit_range) + 2 * k, limit[k].range, 2);
    planNumbers((cfReal*)CF_PLAN(limit_gain) + 2 * k, limit[k].gain, 2);
    planNumbers((cfReal*)CF_PLAN(limit_imp) + 5 * k, limit[k].imp, 5);
  }
  mju_free(limit);
  return true;
}


static bool planLimitNames(const mjModel* m, const cfTeamShape* s, const cfTeamModel* plan,
                           char* block, uint64_t address) {
  cfTeamLoss* loss;
  cfTeamLimit* limit = planListLimits(m, s, &loss);
  if (!limit) {
    return false;
  }
  for (int k = 0; k < s->nloss; k++) {
    CF_PLAN_SET(loss_dof, k, loss[k].dof);
  }
  for (int k = 0; k < s->nlimit; k++) {
    CF_PLAN_SET(limit_kind, k, limit[k].kind);
    CF_PLAN_SET(limit_qpos, k, limit[k].qpos);
    CF_PLAN_SET(limit_chain, k, limit[k].chain);
    CF_PLAN_SET(limit_num, k, limit[k].num);
  }
  mju_free(limit);
  return true;
}


static bool planEqual(const mjModel* m, const cfTeamShape* s, const cfTeamModel* plan, char* block,
                      uint64_t address) {
  cfTeamEqual* equal = cfi_tryMalloc(sizeof(cfTeamEqual) * (size_t)s->neq + 1);
  const int count = equal ? cfi_teamEquals(m, equal) : 0;
  for (int k = 0; k < count; k++) {
    planNumbers((cfReal*)CF_PLAN(equal_data) + mjNEQDATA * k, m->eq_data + mjNEQDATA * equal[k].id,
                mjNEQDATA);
    planNumbers((cfReal*)CF_PLAN(equal_weight) + 2 * k, equal[k].weight, 2);
    planNumbers((cfReal*)CF_PLAN(equal_gain) + 2 * k, equal[k].gain, 2);
    planNumbers((cfReal*)CF_PLAN(equal_imp) + 5 * k, equal[k].imp, 5);
  }
  mju_free(equal);
  return equal != NULL;
}


static bool planEqualNames(const mjModel* m, const cfTeamShape* s, const cfTeamModel* plan,
                           char* block, uint64_t address) {
  cfTeamEqual* equal = cfi_tryMalloc(sizeof(cfTeamEqual) * (size_t)s->neq + 1);
  const int count = equal ? cfi_teamEquals(m, equal) : 0;
  for (int k = 0; k < count; k++) {
    CF_PLAN_SET(equal_id, k, equal[k].id);
    CF_PLAN_SET(equal_kind, k, equal[k].kind);
    CF_PLAN_SET(equal_chain, k, equal[k].chain);
    CF_PLAN_SET(equal_num, k, equal[k].num);
    CF_PLAN_SET(equal_object1, k, equal[k].object[0]);
    CF_PLAN_SET(equal_object2, k, equal[k].object[1]);
  }
  mju_free(equal);
  return equal != NULL;
}


// rows of M with both triangles
static void planSymmetric(const mjModel* m, int* adr, int* dof, int* place) {
  int count = 0;
  for (int i = 0; i < m->nv; i++) {
    adr[i] = count;
    for (int k = m->M_rowadr[i]; k < m->M_rowadr[i] + m->M_rownnz[i]; k++) {
      dof[count] = m->M_colind[k];
      place[count++] = k;
    }
    for (int below = i + 1; below < m->nv; below++) {
      for (int k = m->M_rowadr[below]; k < m->M_rowadr[below] + m->M_rownnz[below] - 1; k++) {
        if (m->M_colind[k] == i) {
          dof[count] = below;
          place[count++] = k;
        }
      }
    }
  }
  adr[m->nv] = count;
}
