// What a binary model may say about its sensors.
#include "cf_guard.h"
#include "cf_test.h"

#include "cf_text.h"

// sensors whose size depends on something: a mesh, a camera, a data specification; two of each
static const char* const rig =
    "<mujoco><asset>"
    "<mesh name='tetra' vertex='0 0 0  1 0 0  0 1 0  0 0 1'/>"
    "<mesh name='box' builtin='plate' params='3 4'/>"
    "<mesh name='last' vertex='0 0 0  2 0 0  0 2 0  0 0 2  2 2 2'/></asset><worldbody>"
    "<camera name='wide' resolution='3 2' pos='0 0 3'/><camera name='tall' resolution='1 4'/>"
    "<site name='eye' pos='0 0 2'/>"
    "<body name='b'><freejoint/><geom name='a' type='mesh' mesh='tetra'/></body>"
    "<body name='c' pos='3 0 0'><joint name='j' type='ball'/><geom name='e' type='mesh' mesh='last'/></body>"
    "<body name='f' pos='6 0 0'><joint name='h'/><geom name='g' size='0.5'/></body></worldbody>"
    "<actuator><motor joint='h' delay='0.01' nsample='5'/><motor joint='h' delay='0.01' nsample='3'/></actuator>"
    "<sensor>"
    "<tactile geom='a' mesh='tetra'/><tactile geom='e' mesh='last'/><tactile geom='e' mesh='box'/>"
    "<rangefinder camera='wide' data='dist point'/><rangefinder camera='tall' data='depth'/>"
    "<rangefinder site='eye' data='dist dir normal'/>"
    "<contact body1='b' data='found force' num='3'/><contact data='force torque dist pos normal tangent'/>"
    "<user dim='7'/><ballquat joint='j'/><jointpos joint='h' delay='0.01' nsample='4'/>"
    "<framequat objtype='body' objname='b' delay='0.02' nsample='2'/></sensor></mujoco>";

// the model through a buffer; NULL where it is refused
static mjModel* throughBuffer(const mjModel* m) {
  const int nbyte = (int)mj_sizeModel(m);
  char* bytes = malloc((size_t)nbyte);
  mj_saveModel(m, NULL, bytes, nbyte);
  cf_guardClear();
  mjModel* again = mj_loadModelBuffer(bytes, nbyte);
  free(bytes);
  return again;
}


static void expectRefused(const mjModel* m, const char* phrase) {
  mjModel* again = throughBuffer(m);
  CF_TRUE(!again);
  CF_HAS_STR(cf_warning_text, phrase);
}


CF_TEST(sensorSize__each_as_compiled__accepted) {
  mjModel* m = cf_compileText(rig);
  CF_EQ_INT(m->sensor_dim[0], 3 * 4);
  CF_EQ_INT(m->sensor_dim[1], 3 * 5);
  CF_EQ_INT(m->sensor_dim[3], 6 * 4);
  CF_EQ_INT(m->sensor_dim[4], 4);
  CF_EQ_INT(m->sensor_dim[5], 7);
  CF_EQ_INT(m->sensor_dim[6], 3 * 4);
  CF_EQ_INT(m->sensor_dim[7], 16);
  mjModel* again = throughBuffer(m);
  CF_TRUE(again);
  mj_deleteModel(again);
  mj_deleteModel(m);
}


// a number more here and one less in the next: the addresses stay possible
CF_TEST(sensorSize__other_than_its_object_says__refused) {
  mjModel* m = cf_compileText(rig);
  for (int s = 0; s + 1 < m->nsensor; s++) {
    if (m->sensor_type[s] == mjSENS_USER) {
      continue;
    }
    m->sensor_dim[s]++;
    m->sensor_dim[s + 1]--;
    m->sensor_adr[s + 1]++;
    expectRefused(m, "sensor_dim");
    m->sensor_dim[s]--;
    m->sensor_dim[s + 1]++;
    m->sensor_adr[s + 1]--;
  }
  mj_deleteModel(m);
}


CF_TEST(sensorData__no_such_bits__refused) {
  mjModel* m = cf_compileText(rig);
  const int cases[][3] = {
      {3, 0, 0}, {3, 0, 1 << mjNRAYDATA}, {6, 0, 0}, {6, 0, 1 << mjNCONDATA}, {6, 1, 4}, {6, 1, -1},
      {6, 2, 0}};
  for (size_t k = 0; k < sizeof(cases) / sizeof(cases[0]); k++) {
    int* value = m->sensor_intprm + cases[k][0] * mjNSENS + cases[k][1];
    const int kept = *value;
    *value = cases[k][2];
    expectRefused(m, "sensor_intprm");
    *value = kept;
  }
  m->cam_resolution[2] = 0;
  expectRefused(m, "");
  mj_deleteModel(m);
}


CF_TEST(sensorJoint__of_another_type__refused) {
  mjModel* m = cf_compileText(rig);
  const int ball = mj_name2id(m, mjOBJ_JOINT, "j"), hinge = mj_name2id(m, mjOBJ_JOINT, "h");
  m->sensor_objid[9] = hinge;
  expectRefused(m, "measures joint");
  m->sensor_objid[9] = ball;
  m->sensor_objid[10] = ball;
  expectRefused(m, "measures joint");
  mj_deleteModel(m);
}


// the last ring ends where the buffer does: one value more, or a start one later, is too much
// a frame to measure from has an id and a type, or neither
CF_TEST(sensorReference__id_without_type__refused) {
  mjModel* m = cf_compileText(rig);
  const int quat = m->nsensor - 1;
  CF_EQ_INT(m->sensor_type[quat], mjSENS_FRAMEQUAT);
  m->sensor_refid[quat] = 0;
  expectRefused(m, "sensor_refid[11] is 0, but its type 0 has no objects");
  m->sensor_reftype[quat] = mjOBJ_BODY;
  mjModel* again = throughBuffer(m);
  CF_TRUE(again != NULL);
  mjData* d = mj_makeData(again);
  mj_step(again, d);
  mj_deleteData(d);
  mj_deleteModel(again);
  mj_deleteModel(m);
}

CF_TEST(history__rings_to_the_end_of_the_buffer__accepted_and_not_beyond) {
  mjModel* m = cf_compileText(rig);
  CF_EQ_INT(m->nhistory, (2 + 5 + 5) + (2 + 3 + 3) + (2 + 4 + 4) + (2 + 2 + 2 * 4));
  int last = 0;
  for (int s = 0; s < m->nsensor; s++) {
    last = m->sensor_historyadr[s] > m->sensor_historyadr[last] ? s : last;
  }
  m->sensor_historyadr[last]++;
  expectRefused(m, "sensor_history");
  m->sensor_historyadr[last] -= 2;
  mjModel* again = throughBuffer(m);
  CF_TRUE(again);
  mj_deleteModel(again);
  m->sensor_historyadr[last]++;
  m->actuator_history[2 * 1] = (int)m->nhistory;
  expectRefused(m, "actuator_history");
  m->actuator_history[2 * 1] = 3;
  m->actuator_history[2 * 1 + 1] = 3;
  expectRefused(m, "actuator_history");
  m->actuator_history[2 * 1 + 1] = -1;
  expectRefused(m, "actuator_history");
  m->actuator_history[2 * 1 + 1] = 2;
  again = throughBuffer(m);
  CF_TRUE(again);
  mj_deleteModel(again);
  mj_deleteModel(m);
}


CF_TEST_MAIN("model/check_sensor")
