// The kernel of one precision: a file defines CF_TEAM_SINGLE or not, CF_TEAM_KERNEL and
// CF_TEAM_PLAN (names), and includes this.  One block is one or more teams; the worlds lie in
// shared memory, the plan of the model in constant memory.
#include "team/stages.h"

#define CF_CONSTANT __attribute__((address_space(4)))
#define CF_SHARED __attribute__((address_space(3)))

extern CF_SHARED char cf_teamMemory[] __attribute__((aligned(16)));

// the host writes it before the first launch
CF_CONSTANT cfTeamModel CF_TEAM_PLAN;


__attribute__((nvptx_kernel)) void CF_TEAM_KERNEL(const cfTeamJob given) {
  const cfTeamJob* job = &given;
  const int thread = __nvvm_read_ptx_sreg_tid_x(), team = thread / CF_TEAM_WIDTH;
  const int teams = __nvvm_read_ptx_sreg_ntid_x() / CF_TEAM_WIDTH;
  const int place = job->first + __nvvm_read_ptx_sreg_ctaid_x() * teams + team;
  const cfTeamModel* m = (const cfTeamModel*)&CF_TEAM_PLAN;
  const cfTeam t = {.m = m,
                    .world = (char*)cf_teamMemory + team * m->world_bytes,
                    .thread = thread % CF_TEAM_WIDTH,
#ifdef CF_TEAM_CONVEX
                    .room = job->room + (uint64_t)place * CF_OVERLAP_BYTES,
#endif
                    .mask = (0xffffffffu >> (32 - CF_TEAM_WIDTH))
                            << (thread % 32 / CF_TEAM_WIDTH * CF_TEAM_WIDTH)};
  cfi_teamRun(&t, job, place, place < job->end);
}
