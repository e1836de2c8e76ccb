// An arm that swings over a floor and a ball on it; `size` is the section of sizes, or empty.
#ifndef CF_SWING_H
#define CF_SWING_H

// clang-format off
#define CF_SWING(size) \
  "<mujoco>" \
  "  <option timestep='0.005'/>" \
  size \
  "  <worldbody>" \
  "    <geom type='plane' size='5 5 .1'/>" \
  "    <body name='arm' pos='0 0 1'>" \
  "      <joint name='swing' axis='0 1 0' damping='.01'/>" \
  "      <geom name='rod' type='capsule' fromto='0 0 0 .5 0 0' size='.05'/>" \
  "    </body>" \
  "    <body name='ball' pos='0 .5 .09'>" \
  "      <freejoint/>" \
  "      <geom name='ball' size='.1'/>" \
  "    </body>" \
  "  </worldbody>" \
  "  <actuator><motor joint='swing' ctrlrange='-2 2'/></actuator>" \
  "  <sensor><jointpos joint='swing'/><framelinvel objtype='body' objname='ball'/></sensor>" \
  "  <keyframe><key qpos='.3 0 .5 .4 1 0 0 0' ctrl='.7'/></keyframe>" \
  "</mujoco>"
// clang-format on

#endif  // CF_SWING_H
