// Signature of a model's structure: MuJoCo's hash of a text with one line per element.
//
// The text is never written down: bodies are opened and closed in the order of the tree, then the
// lists of the model follow in the order of cfi_signedTypes.
#ifndef CF_SPEC_SIGNATURE_H
#define CF_SPEC_SIGNATURE_H

#include <stdint.h>

#include "spec/spec.h"

typedef struct {
  uint64_t hash;
  int depth;  // of the body that is open; -1: none yet
} cfSignature;

cfSignature cfi_newSignature(void);
void cfi_signBody(cfSignature* s);
void cfi_signBodyEnd(cfSignature* s);

// on the open body: joints first, then geoms, sites, cameras and lights
void cfi_signJoint(cfSignature* s, mjtJoint type);
void cfi_signParts(cfSignature* s, mjtObj type, int count);

// lists of the model; sensors, which show their types, come between the last two
enum { CF_SIGNED_TYPES = 12 };
extern const mjtObj cfi_signedTypes[CF_SIGNED_TYPES];
void cfi_signList(cfSignature* s, mjtObj type, int count);
void cfi_signSensor(cfSignature* s, mjtSensor type);

uint64_t cfi_signatureValue(const cfSignature* s);

// after a call that changed a compiled specification: the signature of what it is now, so that it
// is that of the model again where the change was taken back.  As in MuJoCo a call that was refused
// and a type that is set in the attributes leave the signature as it was, until the next change
void cfi_settleSignature(cfSpec* spec);

#endif  // CF_SPEC_SIGNATURE_H
