// What a builder remembers: where the model comes from, wishes, complaints.
#ifndef CF_BUILDER_BUILDER_H
#define CF_BUILDER_BUILDER_H

#include <stdbool.h>

#include <cortenforge/builder.h>
#include <cortenforge/contact.h>
#include <mujoco/mujoco.h>

enum { CF_COMPLAINT_BYTES = 4000 };

// complaints, one a line
typedef struct {
  char text[CF_COMPLAINT_BYTES];
} cfComplaints;

void cfi_noteComplaint(cfComplaints* complaints, const char* format, ...)
    __attribute__((format(printf, 2, 3)));

typedef enum { CF_WISH_BENDING, CF_WISH_ELASTICITY, CF_WISH_GAIN, CF_WISH_SOLVER } cftWish;

// one choice of a model for an object, or for all that have none of their own
typedef struct cfWish {
  struct cfWish* next;
  cftWish kind;
  char* object;  // name of a flex or an actuator, NULL: all
  char* model;
  int nparam;  // -1: none given
  mjtNum param[CF_CONTACT_PARAMETERS];
} cfWish;

typedef struct {
  const char *name, *bending, *elasticity, *solver;
  bool is_plain;  // nothing of ours may be left in the model
} cfPreset;

struct cfSimBuilder_ {
  const cfPreset* preset;
  int nsource;  // how often a model was given
  char *filename, *xml;
  mjSpec* spec;
  mjModel* model;
  cfWish* wishes;
  bool has_integrator, has_timestep;
  int integrator;
  mjtNum timestep;
  cfComplaints complaints;
};

const char* cfi_wishName(cftWish kind);

// the wish for an object: its own, or that for all; NULL if there is none
const cfWish* cfi_wishFor(const cfSimBuilder* builder, cftWish kind, const char* object);

#endif  // CF_BUILDER_BUILDER_H
