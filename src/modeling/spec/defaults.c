// Initial attributes of every struct of mjspec.h, as the tables of MJCF say.
#include <math.h>
#include <string.h>

#include <mujoco/mujoco.h>

// all structs as they start; padding is zero, so that structs can be compared as a whole
static const struct {
  mjSpec mjSpec_;
  mjStatistic mjStatistic_;
  mjsBody mjsBody_;
  mjsFrame mjsFrame_;
  mjsJoint mjsJoint_;
  mjsGeom mjsGeom_;
  mjsSite mjsSite_;
  mjsCamera mjsCamera_;
  mjsLight mjsLight_;
  mjsFlex mjsFlex_;
  mjsMesh mjsMesh_;
  mjsHField mjsHField_;
  mjsSkin mjsSkin_;
  mjsTexture mjsTexture_;
  mjsMaterial mjsMaterial_;
  mjsPair mjsPair_;
  mjsExclude mjsExclude_;
  mjsEquality mjsEquality_;
  mjsTendon mjsTendon_;
  mjsActuator mjsActuator_;
  mjsSensor mjsSensor_;
  mjsNumeric mjsNumeric_;
  mjsText mjsText_;
  mjsTuple mjsTuple_;
  mjsKey mjsKey_;
  mjsPlugin mjsPlugin_;
} initial = {
#define CF_ATTRIBUTE(group, places, name, form, type, field, value, ...) .type##_.field = value,
#include "tables/mjcf_begin.h"
#include "tables/mjcf_settings.def"
#include "tables/mjcf_assets.def"
#include "tables/mjcf_tree.def"
#include "tables/mjcf_flex.def"
#include "tables/mjcf_objects.def"
#include "tables/mjcf_end.h"

    // what no attribute gives: types that other elements or shortcuts decide, and for equality
    // constraints the unit slope of a polynomial and the unit ratio of torque to force
    .mjsEquality_.type = mjEQ_CONNECT,
    .mjsEquality_.data = {[1] = 1, [10] = 1},
    .mjsActuator_.trntype = mjTRN_UNDEFINED,
    .mjsSensor_.type = mjSENS_TOUCH,
};

void mjs_defaultSpec(mjSpec* spec) {
  memcpy(spec, &initial.mjSpec_, sizeof(*spec));
  spec->stat = initial.mjStatistic_;
  mj_defaultLROpt(&spec->compiler.LRopt);
  mj_defaultOption(&spec->option);
  mj_defaultVisual(&spec->visual);
}

void mjs_defaultOrientation(mjsOrientation* orient) {
  *orient = (mjsOrientation){.type = mjORIENTATION_QUAT};
}

// mjs_defaultX for every struct mjsX that an element has
#define DEFAULT_OF(name)                                      \
  void mjs_default##name(mjs##name* element) {                \
    memcpy(element, &initial.mjs##name##_, sizeof(*element)); \
  }

DEFAULT_OF(Body)
DEFAULT_OF(Frame)
DEFAULT_OF(Joint)
DEFAULT_OF(Geom)
DEFAULT_OF(Site)
DEFAULT_OF(Camera)
DEFAULT_OF(Light)
DEFAULT_OF(Flex)
DEFAULT_OF(Mesh)
DEFAULT_OF(HField)
DEFAULT_OF(Skin)
DEFAULT_OF(Texture)
DEFAULT_OF(Material)
DEFAULT_OF(Pair)
DEFAULT_OF(Equality)
DEFAULT_OF(Tendon)
DEFAULT_OF(Actuator)
DEFAULT_OF(Sensor)
DEFAULT_OF(Numeric)
DEFAULT_OF(Text)
DEFAULT_OF(Tuple)
DEFAULT_OF(Key)
DEFAULT_OF(Plugin)

#undef DEFAULT_OF
