// Every array that the smooth stages write, against values recorded with MuJoCo 3.5.0.
#include "cf_test.h"

#include <stdbool.h>

#include "cf_recorded.h"
#include "cf_smooth.h"

typedef struct {
  const char* name;
  size_t offset;
} cfField;

#define FIELD(name) \
  { #name, offsetof(mjData, name) }

static const cfField kInput[] = {FIELD(qpos),      FIELD(qvel),       FIELD(qacc),
                                 FIELD(mocap_pos), FIELD(mocap_quat), FIELD(xfrc_applied)};

static const cfField kOutput[] = {
    FIELD(xpos),
    FIELD(xquat),
    FIELD(xipos),
    FIELD(ximat),
    FIELD(xanchor),
    FIELD(xaxis),
    FIELD(geom_xpos),
    FIELD(geom_xmat),
    FIELD(site_xpos),
    FIELD(site_xmat),
    FIELD(cam_xpos),
    FIELD(cam_xmat),
    FIELD(light_xpos),
    FIELD(light_xdir),
    FIELD(subtree_com),
    FIELD(cdof),
    FIELD(cinert),
    FIELD(ten_length),
    FIELD(ten_J),
    FIELD(wrap_xpos),
    FIELD(M),
    FIELD(qLD),
    FIELD(actuator_length),
    FIELD(actuator_velocity),
    FIELD(cvel),
    FIELD(cdof_dot),
    FIELD(qfrc_bias),
    FIELD(qfrc_smooth),
    FIELD(qacc_smooth),
    FIELD(subtree_linvel),
    FIELD(subtree_angmom),
    FIELD(cacc),
    FIELD(cfrc_ext),
    FIELD(cfrc_int),
    FIELD(qvel),
    FIELD(act),
    FIELD(sensordata),
    FIELD(history),
    FIELD(actuator_force),
    FIELD(qfrc_actuator),
};
enum {
  NINPUT = sizeof(kInput) / sizeof(kInput[0]),
  NOUTPUT = sizeof(kOutput) / sizeof(kOutput[0]),
};


// array of mjData by name, NULL if the list has none
static mjtNum* findField(mjData* d, const cfField* list, int count, const char* name) {
  for (int i = 0; i < count; i++) {
    if (!strcmp(list[i].name, name)) {
      return *(mjtNum**)((char*)d + list[i].offset);
    }
  }
  return NULL;
}


static void checkMoments(cfCase c, const cfRecorded* r) {
  const int nv = (int)c.m->nv;
  mjtNum* dense = calloc(r->count, sizeof(mjtNum));
  for (int u = 0; u < c.m->nu; u++) {
    for (int k = c.d->moment_rowadr[u]; k < c.d->moment_rowadr[u] + c.d->moment_rownnz[u]; k++) {
      dense[u * nv + c.d->moment_colind[k]] = c.d->actuator_moment[k];
    }
  }
  cf_checkArray(r, dense, 1e-11);
  free(dense);
}


// the inputs come first; the stages run when the first output is met
static void checkState(cfCase c, cfRecorded* r) {
  bool has_run = false;
  mj_resetData(c.m, c.d);
  while (cf_nextArray(r)) {
    mjtNum* input = findField(c.d, kInput, NINPUT, r->name);
    if (input && !has_run) {
      memcpy(input, r->value, sizeof(mjtNum) * r->count);
      continue;
    }
    if (!has_run) {
      mj_forward(c.m, c.d);
      mj_subtreeVel(c.m, c.d);
      mj_rnePostConstraint(c.m, c.d);
      has_run = true;
    }

    const mjtNum* output = findField(c.d, kOutput, NOUTPUT, r->name);
    if (!strcmp(r->name, "moment_dense")) {
      checkMoments(c, r);
    } else if (!strcmp(r->name, "energy")) {
      cf_checkArray(r, c.d->energy, 1e-11);
    } else if (output) {
      cf_checkArray(r, output, 1e-11);
    } else {
      CF_FAIL("no field %s\n", r->name);
    }
  }
  CF_TRUE(has_run);
}


CF_TEST(forward__zoo__all_arrays_as_recorded) {
  cfCase c = cf_openCase("zoo");
  c.m->opt.enableflags |= mjENBL_ENERGY;
  cfRecorded* r = cf_openRecorded("smooth", "zoo");
  CF_EQ_INT(cf_nextArray(r), 0);
  for (int k = 0; k < 4; k++) {
    checkState(c, r);
  }
  CF_TRUE(feof(r->file));
  cf_closeRecorded(r);
  cf_closeCase(c);
}


// 40 steps with delays, intervals, activations and their limits
CF_TEST(step__delay__trajectory_as_recorded) {
  cfCase c = cf_openCase("delay");
  cfRecorded* r = cf_openRecorded("smooth", "delay");
  CF_EQ_INT(cf_nextArray(r), 0);
  for (int k = 0; k < 40; k++) {
    for (int u = 0; u < c.m->nu; u++) {
      c.d->ctrl[u] = ((7 * k + 3 * u) % 11) / 5.0 - 1;
    }
    mj_step(c.m, c.d);
    while (cf_nextArray(r)) {
      const mjtNum* output = findField(c.d, kOutput, NOUTPUT, r->name);
      output = strcmp(r->name, "time") ? output : &c.d->time;
      output = strcmp(r->name, "qpos") ? output : c.d->qpos;
      cf_checkArray(r, output, 1e-10);
    }
  }
  cf_closeRecorded(r);
  cf_closeCase(c);
}


CF_TEST_MAIN("pipeline/recorded")
