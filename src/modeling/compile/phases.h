// Phases of the compiler, in the order in which compile.c runs them.
#ifndef CF_COMPILE_PHASES_H
#define CF_COMPILE_PHASES_H

#include "compile/draft.h"
#include "model/jointkind.h"

// limits: `limited` is mjtLimited; fails where a range stands without a flag and autolimits is off
bool cfi_isLimited(int limited, const double range[2]);
void cfi_checkLimited(cfDraft* draft, const cfPart* part, const char* entity, const char* attr,
                      int limited, const double range[2]);

// user data: room per element (mjModel.nuser_*), checked against what is given
int cfi_userRoom(const cfDraft* draft, mjtObj type);
void cfi_setUserRoom(cfDraft* draft);
void cfi_checkUser(cfDraft* draft, const cfPart* part, const void* userdata, const char* what);

// assets referenced by name: meshes, height fields, materials, textures
void cfi_linkAssets(cfDraft* draft);
void cfi_linkMaterials(cfDraft* draft);
void cfi_compileAssets(cfDraft* draft);
void cfi_compileLateAssets(cfDraft* draft);

// flexes, once bodies are in place
void cfi_compileFlexes(cfDraft* draft);
void cfi_countFlexes(cfDraft* draft, mjModel* sizes);
void cfi_fillFlexes(cfDraft* draft);
void cfi_chooseFlexModels(cfDraft* draft);
void cfi_chooseGainModels(cfDraft* draft);
void cfi_chooseContactSolver(cfDraft* draft);

// mj_copyBack: what a program chose and set since, of the model and of a geom or pair
void cfi_contactSolverBack(cfSpec* spec, const mjModel* m);
void cfi_contactValuesBack(const mjModel* m, cfElement* e, int id);

// the kinematic tree
void cfi_compileFrames(cfDraft* draft);
const cfFrameDraft* cfi_frameOf(const cfDraft* draft, const cfPart* part);

// move a pose into what is around its part, unless there was trouble with its orientation
void cfi_poseInFrame(cfDraft* draft, const cfPart* part, const char* what, const char* trouble,
                     double pos[3], double quat[4]);
void cfi_compileTree(cfDraft* draft);
void cfi_compileJoint(cfDraft* draft, cfPart* joint);
void cfi_compileGeom(cfDraft* draft, cfPart* geom);
void cfi_compileSite(cfDraft* draft, cfPart* site);
void cfi_compileCamera(cfDraft* draft, cfPart* camera);
void cfi_compileLight(cfDraft* draft, cfPart* light);
void cfi_bodyFromGeoms(cfDraft* draft, cfBodyDraft* body);
void cfi_collectContact(cfBodyDraft* body);
void cfi_buildBodyBvh(cfDraft* draft, cfBodyDraft* body);
void cfi_fuseStatic(cfDraft* draft);
void cfi_checkMovingBodies(cfDraft* draft);

// everything outside the tree
void cfi_compilePairs(cfDraft* draft);
void cfi_compileExcludes(cfDraft* draft);
void cfi_compileEqualities(cfDraft* draft);
void cfi_compileTendons(cfDraft* draft);
void cfi_compileActuators(cfDraft* draft);
void cfi_compileSensors(cfDraft* draft);
void cfi_compileCustom(cfDraft* draft);
void cfi_orderPairs(cfDraft* draft);

// keyframes: values of the specification, checked and completed once sizes are known
void cfi_takeKeyframes(cfDraft* draft);
void cfi_fillKeyframes(cfDraft* draft);

// visual elements
void cfi_dropMaterials(cfDraft* draft);
void cfi_dropVisual(cfDraft* draft);

// sizes, then the model itself
void cfi_countSizes(cfDraft* draft);
void cfi_placeSensors(cfDraft* draft, mjModel* sizes);
mjtSize cfi_countReducedInertia(cfDraft* draft);
const char* cfi_fileOf(const cfPart* part);
void cfi_fillNames(cfDraft* draft);
void cfi_fillTree(cfDraft* draft);
void cfi_fillObjects(cfDraft* draft);
void cfi_fillAssets(cfDraft* draft);
void cfi_fillSparsity(mjModel* m);
void cfi_fillArenaSize(cfDraft* draft);
void cfi_finishConstants(cfDraft* draft);
uint64_t cfi_signature(const cfDraft* draft);

// remember in the specification where the state of each element stands
void cfi_notePlaces(cfDraft* draft);

#endif  // CF_COMPILE_PHASES_H
