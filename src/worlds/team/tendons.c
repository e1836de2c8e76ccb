// Fixed tendons: length and velocity, their springs and dampers, how they couple dofs.
#include "team/team.h"

// sum of coefficients times positions over a list of dofs
CF_TEAM_FN cfReal chainLength(const cfTeam* t, int first, int num) {
  const cfTeamModel* m = t->m;
  const cfReal* qpos = CF_WORLD(t, qpos);
  cfReal length = 0;
  for (int k = first; k < first + num; k++) {
    length += m->chain_coef[k] * qpos[m->jnt_qposadr[m->dof_jntid[m->chain_dof[k]]]];
  }
  return length;
}


CF_TEAM_FN cfReal chainVelocity(const cfTeam* t, int first, int num) {
  const cfTeamModel* m = t->m;
  cfReal velocity = 0;
  for (int k = first; k < first + num; k++) {
    velocity += m->chain_coef[k] * CF_WORLD(t, qvel)[m->chain_dof[k]];
  }
  return velocity;
}


// tension of springs and dampers, by tendons
CF_TEAM_FN void tendonForces(const cfTeam* t) {
  const cfTeamModel* m = t->m;
  for (int i = t->thread; i < m->ntendon; i += CF_TEAM_WIDTH) {
    const int first = m->tendon_chain[i], num = m->tendon_chainnum[i];
    const cfReal* band = CF_OWN(t, tendon_lengthspring) + 2 * i;
    const cfReal length = chainLength(t, first, num);
    const cfReal stiffness = m->disableflags & mjDSBL_SPRING ? 0 : CF_OWN(t, tendon_stiffness)[i];
    const cfReal damping = m->has_damper ? CF_OWN(t, tendon_damping)[i] : 0;
    CF_WORLD(t, ten_force)
    [i] = lawTendonSpring(stiffness, length, band[0], band[1]) +
          lawDamper(damping, chainVelocity(t, first, num));
  }
  teamSync(t);
}


// what the tendons pull a dof with
CF_TEAM_FN cfReal tendonPull(const cfTeam* t, int dof) {
  const cfTeamModel* m = t->m;
  cfReal sum = 0;
  for (int i = 0; i < m->ntendon; i++) {
    const int first = m->tendon_chain[i];
    for (int k = first; k < first + m->tendon_chainnum[i]; k++) {
      sum += m->chain_dof[k] == dof ? m->chain_coef[k] * CF_WORLD(t, ten_force)[i] : 0;
    }
  }
  return sum;
}
