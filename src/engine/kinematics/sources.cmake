list(APPEND CF_SOURCES
  src/engine/kinematics/camlight.c
  src/engine/kinematics/chain.c
  src/engine/kinematics/compos.c
  src/engine/kinematics/configuration.c
  src/engine/kinematics/jacobian.c
  src/engine/kinematics/kinematics.c
  src/engine/kinematics/lengthvel.c
  src/engine/kinematics/object.c
  src/engine/kinematics/rowbuilder.c
  src/engine/kinematics/sitetransmission.c
  src/engine/kinematics/tendon.c
  src/engine/kinematics/tendondrift.c
  src/engine/kinematics/tendonpath.c
  src/engine/kinematics/transmission.c
  src/engine/kinematics/wrap.c
)
