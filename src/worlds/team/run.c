// The steps of a world: its record in, controls with noise, steps, its record out.
#include "device/noise.h"
#include "team/team.h"


// numbers of the record into the world
CF_TEAM_FN void loadWorld(const cfTeam* t, const cfTeamJob* job, const char* record) {
  CF_ASSERT(t->thread >= 0 && t->thread < CF_TEAM_WIDTH);
  for (int k = 0; k < job->npart; k++) {
    const cfTeamPart part = job->part[k];
    const double* from = (const double*)(const void*)(record + part.offset);
    cfReal* to = (cfReal*)(void*)(t->world + part.place);
    if (part.is_byte) {
      const unsigned char* bytes = (const unsigned char*)(record + part.offset);
      for (int i = t->thread; i < part.count; i += CF_TEAM_WIDTH) {
        ((int*)(void*)to)[i] = bytes[i];
      }
      continue;
    }
    for (int i = t->thread; part.is_loaded && i < part.count; i += CF_TEAM_WIDTH) {
      to[i] = (cfReal)from[i];
    }
  }
  if (t->thread == 0) {
    CF_WORLD(t, trouble)[0] = 0;
    CF_WORLD(t, ncon)[0] = CF_WORLD(t, nefc)[0] = CF_WORLD(t, niter)[0] = 0;
  }
  teamSync(t);
}


CF_TEAM_FN void storeWorld(const cfTeam* t, const cfTeamJob* job, char* record) {
  for (int k = 0; k < job->npart; k++) {
    const cfTeamPart part = job->part[k];
    const char* from = t->world + part.place;
    char* to = record + part.offset;
    for (int i = t->thread; part.is_stored && i < part.count; i += CF_TEAM_WIDTH) {
      if (part.is_int) {
        ((int*)(void*)to)[i] = ((const int*)(const void*)from)[i];
      } else {
        ((double*)(void*)to)[i] = (double)((const cfReal*)(const void*)from)[i];
      }
    }
  }
}


CF_TEAM_FN void addNoise(const cfTeam* t, const cfTeamJob* job, int world, int64_t step) {
  const cfTeamModel* m = t->m;
  const cfReal keep = (cfReal)job->noise_keep, scale = (cfReal)job->noise_scale;
  cfReal* ctrl = CF_WORLD(t, ctrl);
  for (int u = t->thread; u < m->nu; u += CF_TEAM_WIDTH) {
    const cfReal middle = CF_OWN(t, noise_middle)[u];
    const cfReal pushed =
        scale * CF_OWN(t, noise_half)[u] * (cfReal)cfi_gauss(job->seed, world, step, u);
    ctrl[u] = middle + keep * (ctrl[u] - middle) + pushed;
  }
  teamSync(t);
}


// are some numbers of this thread bad, as mju_isBad has it
CF_TEAM_FN int hasBad(const cfTeam* t, const cfReal* x, int n) {
  int is_bad = 0;
  for (int i = t->thread; i < n; i += CF_TEAM_WIDTH) {
    is_bad |= !(teamAbs(x[i]) <= CF_R(1e10));
  }
  return is_bad;
}


// one step; what was in the way of it, a sum of cftTeamTrouble
CF_TEAM_FN int stepWorld(const cfTeam* t, bool is_active, bool is_last) {
  const cfTeamModel* m = t->m;
  int is_bad = hasBad(t, CF_WORLD(t, qpos), m->nq) | hasBad(t, CF_WORLD(t, qvel), m->nv) |
               hasBad(t, CF_WORLD(t, ctrl), m->nu);
  cfi_teamStep(t, is_active, is_last);
  if (!is_active) {
    return 0;
  }
  is_bad |= hasBad(t, CF_WORLD(t, qacc), m->nv);
  const int trouble = teamOr(t, is_bad ? CF_TROUBLE_NUMBERS : 0) | CF_WORLD(t, trouble)[0];
  teamSync(t);
  return trouble;
}


// the next number of a counter
CF_TEAM_FN int countOne(int32_t* counter) {
#ifdef __NVPTX__
  return __nvvm_atom_add_gen_i(counter, 1);
#else
  return (*counter)++;
#endif
}


// how a world is left: until somebody has finished it, it is open and counts as lost
CF_TEAM_FN void leaveWorld(const cfTeamJob* job, int world, bool is_done) {
  cfDeviceStatus* status = job->status + world;
  if (is_done) {
    status->nstep += job->nstep;
    status->nlost -= job->is_again;
    status->state = CF_WORLD_GOOD;
  } else if (job->is_again) {
    countOne(job->open + 1);
  } else {
    status->nlost++;
    status->state = CF_WORLD_OPEN;
    job->open[CF_TEAM_OPEN_LIST + countOne(job->open)] = world;
  }
}


// the team with the parameters of its world
CF_TEAM_FN cfTeam teamOfWorld(const cfTeam* given, const cfTeamJob* job, int world) {
  cfTeam t = *given;
#ifndef CF_TEAM_PLAIN
  t.own = job->own + job->own_bytes * (uint64_t)world;
  t.form = job->has_forms ? t.own : 0;
#else
  (void)job, (void)world;
#endif
  return t;
}


// steps of one world.  Where something is in the way nothing is stored, and it is stepped again
// from its record: by a launch with more room, or by the base tier.  A team without a world, or
// whose world is not to be stepped, accompanies the other teams of its block
CF_TEAM_FN void cfi_teamRun(const cfTeam* given, const cfTeamJob* job, int place, bool has_world) {
  CF_ASSERT(place >= job->first && (place < job->end || !has_world));
  const int world = has_world && job->is_again ? job->open[CF_TEAM_OPEN_LIST + place] : place;
  const cfTeam own = teamOfWorld(given, job, world), *t = &own;
  const cfDeviceStatus* status = job->status + world;
  char* record = job->record + job->stride * (uint64_t)world;
  const bool is_mine =
      has_world && status->state == (job->is_again ? CF_WORLD_OPEN : CF_WORLD_GOOD);
  const int64_t start = is_mine ? status->nstep : 0;
  const double begin = is_mine ? *(double*)(void*)(record + job->time) : 0;
  double time = begin;
  int trouble = 0;
  if (is_mine) {
    loadWorld(t, job, record);
  }
  for (int k = 0; k < job->nstep; k++) {
    const bool is_active = is_mine && !trouble;
    if (is_active && job->noise_scale > 0) {
      addNoise(t, job, world, start + k);
    }
#ifndef CF_TEAM_PLAIN
    if (is_active && t->thread == 0 && t->m->nsensor) {
      CF_WORLD(t, clock)[0] = (cfReal)time;  // read after many a sync
    }
#endif
    trouble |= stepWorld(t, is_active, k == job->nstep - 1);
    time += job->timestep;
  }
  if (is_mine && !trouble) {
    storeWorld(t, job, record);
  }
  teamSync(t);
  if (is_mine && t->thread == 0) {
    leaveWorld(job, world, !trouble);
    *(double*)(void*)(record + job->time) = trouble ? begin : time;
  }
}
