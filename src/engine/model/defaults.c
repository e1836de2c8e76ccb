// Default values of options, visual settings and statistics, as the tables of MJCF say.
#include <string.h>

#include <mujoco/mujoco.h>

#include "model/model.h"

static const mjOption default_option = {
#define CF_ATTRIBUTE(group, places, name, form, type, field, value, ...) .field = value,
#include "tables/mjcf_begin.h"
#include "tables/mjcf_option.def"
#include "tables/mjcf_end.h"
};

static const mjVisual default_visual = {
#define CF_ATTRIBUTE(group, places, name, form, type, field, value, ...) .field = value,
#include "tables/mjcf_begin.h"
#include "tables/mjcf_visual.def"
#include "tables/mjcf_end.h"
};

static const mjLROpt default_lengthrange = {
#define CF_ATTRIBUTE(group, places, name, form, type, field, value, ...) .field = value,
#include "tables/mjcf_begin.h"
#include "tables/mjcf_lengthrange.def"
#include "tables/mjcf_end.h"
};


void mj_defaultSolRefImp(mjtNum* solref, mjtNum* solimp) {
  if (solref) {
    memcpy(solref, default_option.o_solref, sizeof(default_option.o_solref));
  }
  if (solimp) {
    memcpy(solimp, default_option.o_solimp, sizeof(default_option.o_solimp));
  }
}


// copies whole structs, so that padding bytes are zero in saved models
void mj_defaultOption(mjOption* opt) {
  memcpy(opt, &default_option, sizeof(*opt));
}


void mj_defaultVisual(mjVisual* vis) {
  memcpy(vis, &default_visual, sizeof(*vis));
}


void mj_defaultLROpt(mjLROpt* opt) {
  memcpy(opt, &default_lengthrange, sizeof(*opt));
}


void cfi_defaultStatistic(mjStatistic* stat) {
  *stat = (mjStatistic){.meaninertia = 1, .meanmass = 1, .meansize = 0.2, .extent = 2};
}
