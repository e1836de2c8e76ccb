// What a step never reaches on a device: thread pools, plugins, heap, libccd, exchangeable parts.
// The host refuses models that would; a call all the same ends the world.
#include <stdbool.h>
#include <stdint.h>

#include "base/memory.h"
#include "base/platform.h"
#include "base/registry.h"
#include "base/threads.h"
#include "collision/convex/mpr.h"
#include "contactsolver/contactsolver.h"
#include "device/world.h"
#include "dynamics/gain.h"

void (*mju_user_warning)(const char*);

const cfContactSolver cfi_contactHuntCrossley = {.name = "hunt_crossley"};  // no model has it here


int cfi_mprContact(const mjModel* m, cfConvex* a, cfConvex* b, mjContact* con, mjtNum margin) {
  (void)m, (void)a, (void)b, (void)con, (void)margin;
  cfi_deviceStop("libccd (nativeccd is disabled)");
}


bool cfi_mprPrism(const mjModel* m, cfConvex* prism, cfConvex* b, mjtNum* depth, mjtNum dir[3],
                  mjtNum pos[3]) {
  (void)m, (void)prism, (void)b, (void)depth, (void)dir, (void)pos;
  cfi_deviceStop("libccd (nativeccd is disabled)");
}


double cfi_clock(void) {
  return 0;
}


bool cfi_poolIsOpen(const mjThreadPool* pool) {
  (void)pool;
  return false;
}


bool cfi_poolLock(mjThreadPool* pool) {
  (void)pool;
  return false;
}


void cfi_poolUnlock(mjThreadPool* pool) {
  (void)pool;
}


size_t cfi_poolSize(const mjThreadPool* pool) {
  (void)pool;
  return 0;
}


uint64_t cfi_poolPart(const mjThreadPool* pool) {
  (void)pool;
  return 0;
}


size_t cfi_workerId(void) {
  return 0;
}


void* cfi_tryMalloc(size_t size) {
  (void)size;
  return NULL;
}


void* cfi_tryCopy(const void* block, size_t size) {
  (void)block, (void)size;
  return NULL;
}


void mju_free(void* memory) {
  (void)memory;
}


const char* mj_id2name(const mjModel* m, int type, int id) {
  (void)m, (void)type, (void)id;
  return NULL;
}


const mjpPlugin* mjp_getPluginAtSlot(int slot) {
  (void)slot;
  return NULL;
}


void cfi_poolLoop(mjThreadPool* pool, int most, int njob, cfLoopJob job, void* context) {
  (void)pool, (void)most, (void)njob, (void)job, (void)context;
  cfi_deviceStop("thread pools");
}


void cfi_poolDeal(mjThreadPool* pool, int nthread, const int* first, cfLoopJob job, void* context) {
  (void)pool, (void)nthread, (void)first, (void)job, (void)context;
  cfi_deviceStop("thread pools");
}


void cfi_poolDealBehind(mjThreadPool* pool, int nthread, const int* first, cfLoopJob job,
                        void* context, cfLoopLead lead) {
  (void)pool, (void)nthread, (void)first, (void)job, (void)context, (void)lead;
  cfi_deviceStop("thread pools");
}


void cfi_poolWatch(mjThreadPool* pool, bool is_on) {
  (void)pool, (void)is_on;
}


// exchangeable models of actuators: the host refuses models that have chosen one
int mju_boxQP(mjtNum* res, mjtNum* R, int* index, const mjtNum* H, const mjtNum* g, int n,
              const mjtNum* lower, const mjtNum* upper) {
  (void)res, (void)R, (void)index, (void)H, (void)g, (void)n, (void)lower, (void)upper;
  cfi_deviceStop("limits of motors (models of actuators)");
}


const cfGainChoice* cfi_gainChoice(const mjModel* m) {
  (void)m;
  return NULL;
}


const cfGainModel* cf_actuatorGain(const mjModel* m, int u) {
  (void)m, (void)u;
  return NULL;
}


// nothing is registered on a device
int cfi_tryRegister(cfRegistry* registry, const void* object, char* message, size_t nmessage) {
  (void)registry, (void)object, (void)message, (void)nmessage;
  return -1;
}


const void* cfi_registered(cfRegistry* registry, int slot) {
  (void)registry, (void)slot;
  return NULL;
}


const void* cfi_findRegistered(cfRegistry* registry, const char* key, int* slot) {
  (void)registry, (void)key, (void)slot;
  return NULL;
}
