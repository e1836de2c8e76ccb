// Text output of mjData, in MuJoCo's format: sizes and diagnostics, then arrays in the order of the
// table below.  Here and not beside the text of a model because contacts are printed with their
// forces.
#include "api/datatext.h"
#include "base/assert.h"

// an array, or where name is NULL several
typedef struct {
  const char* name;
  void (*print)(const cfDataText* t, const cfFieldInfo* field);
} dataItem;

static const dataItem data_items[] = {
    {"qpos", cfi_rowsText},
    {"qvel", cfi_rowsText},
    {"act", cfi_rowsText},
    {NULL, cfi_historyText},
    {"qacc_warmstart", cfi_rowsText},
    {"ctrl", cfi_rowsText},
    {"qfrc_applied", cfi_rowsText},
    {"xfrc_applied", cfi_rowsText},
    {"eq_active", cfi_lineText},
    {"mocap_pos", cfi_rowsText},
    {"mocap_quat", cfi_rowsText},
    {"qacc", cfi_rowsText},
    {"act_dot", cfi_rowsText},
    {"userdata", cfi_rowsText},
    {"sensordata", cfi_readingsText},
    {"tree_asleep", cfi_rowsText},
    {"xpos", cfi_rowsText},
    {"xquat", cfi_rowsText},
    {"xmat", cfi_rowsText},
    {"xipos", cfi_rowsText},
    {"ximat", cfi_rowsText},
    {"xanchor", cfi_rowsText},
    {"xaxis", cfi_rowsText},
    {"geom_xpos", cfi_rowsText},
    {"geom_xmat", cfi_rowsText},
    {"site_xpos", cfi_rowsText},
    {"site_xmat", cfi_rowsText},
    {"cam_xpos", cfi_rowsText},
    {"cam_xmat", cfi_rowsText},
    {"light_xpos", cfi_rowsText},
    {"light_xdir", cfi_rowsText},
    {"subtree_com", cfi_rowsText},
    {"cdof", cfi_rowsText},
    {"cinert", cfi_rowsText},
    {"flexvert_xpos", cfi_rowsText},
    {"flexelem_aabb", cfi_rowsText},
    {NULL, cfi_flexEdgesText},
    {"flexedge_length", cfi_rowsText},
    {"ten_length", cfi_rowsText},
    {NULL, cfi_tendonsText},
    {"actuator_length", cfi_rowsText},
    {NULL, cfi_momentText},
    {"crb", cfi_rowsText},
    {NULL, cfi_triangleText},
    {"M", cfi_dofMatrixText},
    {"qLD", cfi_dofMatrixText},
    {"qLDiagInv", cfi_rowsText},
    {NULL, cfi_islandInertiaText},
    {"qH", cfi_implicitText},
    {"tree_awake", cfi_listText},
    {"body_awake", cfi_listText},
    {"body_awake_ind", cfi_listText},
    {"parent_awake_ind", cfi_listText},
    {"dof_awake_ind", cfi_listText},
    {"qDeriv", cfi_writtenMatrixText},
    {"qLU", cfi_writtenMatrixText},
    {NULL, cfi_contactsText},
    {"efc_type", cfi_rowsText},
    {"efc_id", cfi_rowsText},
    {NULL, cfi_jacobianText},
    {"efc_pos", cfi_rowsText},
    {"efc_margin", cfi_rowsText},
    {"efc_frictionloss", cfi_rowsText},
    {"efc_diagApprox", cfi_rowsText},
    {"efc_KBIP", cfi_rowsText},
    {"efc_D", cfi_rowsText},
    {"efc_R", cfi_rowsText},
    {"flexedge_velocity", cfi_rowsText},
    {"ten_velocity", cfi_rowsText},
    {"actuator_velocity", cfi_rowsText},
    {"cvel", cfi_rowsText},
    {"cdof_dot", cfi_rowsText},
    {"qfrc_bias", cfi_rowsText},
    {"qfrc_spring", cfi_rowsText},
    {"qfrc_damper", cfi_rowsText},
    {"qfrc_gravcomp", cfi_rowsText},
    {"qfrc_fluid", cfi_rowsText},
    {"qfrc_passive", cfi_rowsText},
    {"efc_vel", cfi_rowsText},
    {"efc_aref", cfi_rowsText},
    {"subtree_linvel", cfi_rowsText},
    {"subtree_angmom", cfi_rowsText},
    {"actuator_force", cfi_rowsText},
    {"qfrc_actuator", cfi_rowsText},
    {"qfrc_smooth", cfi_rowsText},
    {"qacc_smooth", cfi_rowsText},
    {"efc_b", cfi_rowsText},
    {"efc_force", cfi_rowsText},
    {"efc_state", cfi_rowsText},
    {"qfrc_constraint", cfi_rowsText},
    {"qfrc_inverse", cfi_rowsText},
    {"cacc", cfi_rowsText},
    {"cfrc_int", cfi_rowsText},
    {"cfrc_ext", cfi_rowsText},
    {"tree_island", cfi_islandListText},
    {"island_ntree", cfi_islandListText},
    {"island_itreeadr", cfi_islandListText},
    {"map_itree2tree", cfi_islandListText},
    {"dof_island", cfi_islandLineText},
    {"island_nv", cfi_islandLineText},
    {"island_idofadr", cfi_islandLineText},
    {"map_idof2dof", cfi_islandOrderText},
    {"efc_island", cfi_islandLineText},
    {"island_nefc", cfi_islandLineText},
    {"island_iefcadr", cfi_islandLineText},
    {"map_iefc2efc", cfi_islandOrderText},
    {"tendon_efcadr", cfi_lineText},
};


void mj_printFormattedData(const mjModel* m, const mjData* d, const char* filename,
                           const char* float_format) {
  cfDataText t = {.m = m, .d = d};
  if (d->pstack) {
    mju_error("mj_printData: attempting to print mjData when stack is in use");
    return;
  }
  cfi_setFormat(&t.out, float_format);
  if (!cfi_openPrinter(&t.out, filename)) {
    return;
  }
  cfi_printSummary(&t);
  for (size_t k = 0; k < sizeof(data_items) / sizeof(data_items[0]); k++) {
    const dataItem* item = data_items + k;
    const cfFieldInfo* field = item->name ? cfi_findField(&cfi_dataFields, item->name) : NULL;
    CF_ASSERT(field || !item->name);
    item->print(&t, field);
  }
  cfi_closePrinter(&t.out);
}


void mj_printData(const mjModel* m, const mjData* d, const char* filename) {
  mj_printFormattedData(m, d, filename, "% -9.2g");
}
