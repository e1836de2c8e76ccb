// Copying drafts into the arrays of mjModel and back, as the tables of attributes say.
#ifndef CF_COMPILE_FILL_H
#define CF_COMPILE_FILL_H

#include <stdbool.h>
#include <stddef.h>

#include <mujoco/mujoco.h>

#include "tables/attributes.h"

// how an array of mjModel gets the value of an attribute
typedef enum { FILL_NONE, FILL_COPY, FILL_SLOT, FILL_USER, FILL_DOFS } cftFill;

// a member of a draft
typedef struct {
  size_t offset;
  cftScalar type;
  int count;  // numbers in it
} cfMember;

// one array of mjModel that follows from one member of a draft
typedef struct {
  cftFill fill;
  bool is_back;
  cftScalar type;     // of the array
  size_t array;       // its offset in mjModel
  cfMember given;     // the attribute
  cfMember resolved;  // what the compiler made of it, count 0 where that is the attribute itself
  int slot, step;     // SLOT: which number of how many
  size_t room;        // USER: offset of the length of the array's rows in mjModel
} cfModelRow;

// the rows of the attributes of a group
const cfModelRow* cfi_modelRows(cftFields group, int* count);

// arrays of one element, or of one of the dofs of a joint
void cfi_fillElement(mjModel* m, cftFields group, const void* draft, int id);
void cfi_fillDof(mjModel* m, cftFields group, const void* draft, int dof);

// attributes that mj_copyBack may take from the model; `dof` is the first one of a joint
void cfi_elementBack(const mjModel* m, cftFields group, void* attr, int id, int dof);

// user data of one element, zeros behind what was given
void cfi_fillUser(mjtNum* array, int room, int id, const void* userdata);

// address and number of what one asset has in an array of all of them
typedef struct {
  int *adr, *num;  // num may be NULL
  int place, count;
  bool is_optional;  // no address where there is nothing
} cfAssetRange;

static inline void cfi_setRanges(const cfAssetRange* range, size_t nrange, int asset) {
  for (size_t k = 0; k < nrange; k++) {
    range[k].adr[asset] = range[k].is_optional && !range[k].count ? -1 : range[k].place;
    if (range[k].num) {
      range[k].num[asset] = range[k].count;
    }
  }
}

// `count` numbers into an array of any length; nothing where the model keeps none
void cfi_numbersBack(void* vec, const mjtNum* array, int count);

#endif  // CF_COMPILE_FILL_H
