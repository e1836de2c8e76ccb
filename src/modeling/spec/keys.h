// Keyframes of models that are put together or taken apart.
//
// When a model is attached, every value of its keyframes moves with the element it belongs to:
// joint, actuator or mocap body.  When the receiving model is compiled, each such keyframe becomes
// a keyframe of the whole model, in which the elements that know nothing of it keep their reference
// values.
#ifndef CF_SPEC_KEYS_H
#define CF_SPEC_KEYS_H

#include <string.h>

#include "spec/tree.h"

// keyframe of an attached model that is not yet one of this model
typedef struct cfPendingKey {
  cfString name;
  double time;
  bool has[6];  // qpos, qvel, act, ctrl, mpos, mquat
} cfPendingKey;

// what one element contributes to one pending keyframe
typedef struct cfKeyState {
  struct cfKeyState* next;
  cfString key;    // name of the pending keyframe
  cfVec value[6];  // doubles, empty where it has none
} cfKeyState;

// a value of a keyframe that is filled in when the model is compiled: a NaN of its own, as programs
// may set others
#define CF_OPEN_VALUE UINT64_C(0x7FF843464B455953)

static inline double cfi_openValue(void) {
  const uint64_t bits = CF_OPEN_VALUE;
  double value;
  memcpy(&value, &bits, sizeof(value));
  return value;
}

static inline bool cfi_isOpenValue(const double* value) {
  uint64_t bits;
  memcpy(&bits, value, sizeof(bits));
  return bits == CF_OPEN_VALUE;
}

// begin of an attach: hand the values of the keyframes in copy->from to its elements, under names
// with prefix and suffix; false and an error in copy->to if a keyframe does not fit its model
bool cfi_splitKeys(const cfCopy* copy);

// begin of a compilation: as many keyframes as the size section asks for, before those that are
// pending
void cfi_addMissingKeys(cfSpec* spec);

// end of an attach and begin of a compilation: keyframes that have become too short get reference
// values
void cfi_expandKeys(cfSpec* spec);

// before elements are removed: hand the values of all keyframes to the elements; false as above
bool cfi_detachKeys(cfSpec* spec);

// before bodies go: keyframes live on in the elements that stay, until the next compilation; false
// as above
bool cfi_dissolveKeys(cfSpec* spec);

// an element was copied: its values go to the copy
void cfi_moveKeys(const cfCopy* copy, cfElement* source, cfElement* twin);

// copy of a specification: values and pending keyframes are copied too
void cfi_copyKeyStates(const cfElement* source, cfElement* twin);
void cfi_copyPendingKeys(cfSpec* to, const cfSpec* from);
int cfi_countPendingKeys(const cfSpec* spec);

// end of an attach: pending keyframes of the other model become pending here; elements that were
// left behind remember their values for the next attach
void cfi_joinKeys(const cfCopy* copy);

// before compilation: pending keyframes become elements, open where a value is to be filled in
void cfi_resolveKeys(cfSpec* spec);

// after compilation: values that were filled in
void cfi_completeKeys(cfSpec* spec, const mjModel* m);

void cfi_freeKeyStates(cfElement* e);
void cfi_freePendingKeys(cfSpec* spec);

#endif  // CF_SPEC_KEYS_H
