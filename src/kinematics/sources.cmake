list(APPEND CF_SOURCES
  src/kinematics/camlight.c
  src/kinematics/chain.c
  src/kinematics/compos.c
  src/kinematics/configuration.c
  src/kinematics/jacobian.c
  src/kinematics/kinematics.c
  src/kinematics/lengthvel.c
  src/kinematics/object.c
  src/kinematics/rowbuilder.c
  src/kinematics/sitetransmission.c
  src/kinematics/tendon.c
  src/kinematics/tendondrift.c
  src/kinematics/tendonpath.c
  src/kinematics/transmission.c
  src/kinematics/wrap.c
)
