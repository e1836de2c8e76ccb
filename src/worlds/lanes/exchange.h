// Fields of worlds into lanes and back, four numbers of four worlds at a time.

static inline mjtNum* laneFieldOf(const cfLaneField* f, mjData* d) {
  mjtNum* p;
  memcpy(&p, (char*)d + f->offset, sizeof(p));
  return p;
}

#if CF_LANES > 1

CF_LANE_INLINE void laneTranspose4(__m256d a[4]) {
  const __m256d even01 = _mm256_unpacklo_pd(a[0], a[1]), odd01 = _mm256_unpackhi_pd(a[0], a[1]);
  const __m256d even23 = _mm256_unpacklo_pd(a[2], a[3]), odd23 = _mm256_unpackhi_pd(a[2], a[3]);
  a[0] = _mm256_permute2f128_pd(even01, even23, 0x20);
  a[1] = _mm256_permute2f128_pd(odd01, odd23, 0x20);
  a[2] = _mm256_permute2f128_pd(even01, even23, 0x31);
  a[3] = _mm256_permute2f128_pd(odd01, odd23, 0x31);
}


// four numbers of four worlds, which are lanes first..first+3
CF_LANE_INLINE void laneGatherBlock(mjtNum* lanes, mjtNum* const world[4], int k) {
  __m256d a[4];
  for (int w = 0; w < 4; w++) {
    a[w] = _mm256_loadu_pd(world[w] + k);
  }
  laneTranspose4(a);
  for (int r = 0; r < 4; r++) {
    _mm256_storeu_pd(lanes + CF_LANES * (k + r), a[r]);
  }
}


CF_LANE_INLINE void laneScatterBlock(const mjtNum* lanes, mjtNum* const world[4], int k) {
  __m256d a[4];
  for (int r = 0; r < 4; r++) {
    a[r] = _mm256_loadu_pd(lanes + CF_LANES * (k + r));
  }
  laneTranspose4(a);
  for (int w = 0; w < 4; w++) {
    _mm256_storeu_pd(world[w] + k, a[w]);
  }
}


// n numbers; the last four once more where n is not a multiple of four
static void laneGather4(mjtNum* lanes, mjtNum* const world[4], int n) {
  int k = 0;
  for (; k + 4 <= n; k += 4) {
    laneGatherBlock(lanes, world, k);
  }
  if (k < n && n >= 4) {
    laneGatherBlock(lanes, world, n - 4);
    k = n;
  }
  for (; k < n; k++) {
    for (int w = 0; w < 4; w++) {
      lanes[CF_LANES * k + w] = world[w][k];
    }
  }
}


static void laneScatter4(const mjtNum* lanes, mjtNum* const world[4], int n) {
  int k = 0;
  for (; k + 4 <= n; k += 4) {
    laneScatterBlock(lanes, world, k);
  }
  if (k < n && n >= 4) {
    laneScatterBlock(lanes, world, n - 4);
    k = n;
  }
  for (; k < n; k++) {
    for (int w = 0; w < 4; w++) {
      world[w][k] = lanes[CF_LANES * k + w];
    }
  }
}


static void laneGatherField(cfLaneGroup* g, const cfLaneField* f) {
  for (int first = 0; first < CF_LANES; first += 4) {
    mjtNum* world[4];
    for (int w = 0; w < 4; w++) {
      world[w] = laneFieldOf(f, g->data[first + w]);
    }
    laneGather4(f->lanes + first, world, f->count);
  }
}


static void laneScatterField(cfLaneGroup* g, const cfLaneField* f) {
  for (int first = 0; first < CF_LANES; first += 4) {
    mjtNum* world[4];
    for (int w = 0; w < 4; w++) {
      world[w] = laneFieldOf(f, g->data[first + w]);
    }
    laneScatter4(f->lanes + first, world, f->count);
  }
}

#else

static void laneGatherField(cfLaneGroup* g, const cfLaneField* f) {
  memcpy(f->lanes, laneFieldOf(f, g->data[0]), sizeof(mjtNum) * (size_t)f->count);
}


static void laneScatterField(cfLaneGroup* g, const cfLaneField* f) {
  memcpy(laneFieldOf(f, g->data[0]), f->lanes, sizeof(mjtNum) * (size_t)f->count);
}

#endif

// numbers of any kind, of all worlds
static void laneGatherNumbers(mjtNum* lanes, mjtNum* const* world, int n) {
#if CF_LANES > 1
  for (int first = 0; first < CF_LANES; first += 4) {
    laneGather4(lanes + first, world + first, n);
  }
#else
  memcpy(lanes, world[0], sizeof(mjtNum) * (size_t)n);
#endif
}


// inputs of the stages
static void laneGatherInputs(cfLaneGroup* g) {
  for (int k = 0; k < g->nfield; k++) {
    if (g->field[k].is_input) {
      laneGatherField(g, g->field + k);
    }
  }
}


// what the integrator reads: results of the solver, and forces of stages that ran world by world
static void laneGatherResults(cfLaneGroup* g, unsigned done, bool with_solution) {
  const unsigned missing = (CF_LANE_ACTUATION | CF_LANE_ACCELERATION) & ~done;
  for (int k = 0; k < g->nfield; k++) {
    if ((g->field[k].is_result && with_solution) || (g->field[k].stage & missing)) {
      laneGatherField(g, g->field + k);
    }
  }
}


static void laneScatterStages(cfLaneGroup* g, unsigned stages, bool with_late) {
  for (int k = 0; k < g->nfield; k++) {
    if ((g->field[k].stage & stages) && (with_late || !g->field[k].is_late)) {
      laneScatterField(g, g->field + k);
    }
  }
}


static void laneScatterLate(cfLaneGroup* g, unsigned stages) {
  for (int k = 0; k < g->nfield; k++) {
    if ((g->field[k].stage & stages) && g->field[k].is_late) {
      laneScatterField(g, g->field + k);
    }
  }
}


static void laneScatterGeoms(cfLaneGroup* g) {
  for (int k = 0; k < g->nfield; k++) {
    const mjtNum* lanes = g->field[k].lanes;
    const bool is_frame =
        lanes == g->geom_xpos || lanes == g->geom_xmat || lanes == g->xipos || lanes == g->ximat;
    if (g->field[k].is_late && is_frame) {
      laneScatterField(g, g->field + k);
    }
  }
}


// a field that everybody has
static void laneScatterNamed(cfLaneGroup* g, mjtNum* lanes, size_t offset, mjtSize count) {
  const cfLaneField f = {.lanes = lanes, .offset = offset, .count = (int)count};
  laneScatterField(g, &f);
}


static void laneScatterState(cfLaneGroup* g) {
  laneScatterNamed(g, g->qpos, offsetof(mjData, qpos), g->m->nq);
  laneScatterNamed(g, g->qvel, offsetof(mjData, qvel), g->m->nv);
  laneScatterNamed(g, g->act, offsetof(mjData, act), g->m->na);
}


// what the solver found
static void laneScatterResults(cfLaneGroup* g) {
  laneScatterNamed(g, g->qacc, offsetof(mjData, qacc), g->m->nv);
  laneScatterNamed(g, g->qfrc_constraint, offsetof(mjData, qfrc_constraint), g->m->nv);
}
