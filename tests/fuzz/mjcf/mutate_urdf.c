// Mutations of URDF text: pieces that belong into a robot come, go and are repeated, values change.
#include <stdio.h>
#include <string.h>

#include "roll.h"
#include "text.h"

enum { TEXT_MAX = 1 << 15, PIECE_MAX = 1000 };

typedef struct {
  cfDice dice;
  char text[TEXT_MAX + 1];
  size_t size;
} urdfText;

// %n is a name, %d a number, %3 three of them
static const char* const pieces[] = {
    "<link name=\"%n\"/>",
    "<link name=\"%n\"><inertial><origin xyz=\"%3\" rpy=\"%3\"/><mass value=\"%d\"/><inertia "
    "ixx=\"1\" iyy=\"%d\" izz=\"1\" "
    "ixy=\"%d\" ixz=\"0\" iyz=\"0\"/></inertial><collision><geometry><box "
    "size=\"%3\"/></geometry></collision></link>",
    "<link name=\"%n\"><visual name=\"%n\"><geometry><mesh filename=\"package://p/%n.stl\" "
    "scale=\"%3\"/></geometry>"
    "<material name=\"%n\"/></visual></link>",
    "<joint name=\"%n\" type=\"revolute\"><parent link=\"%n\"/><child link=\"%n\"/><limit "
    "lower=\"%d\" upper=\"%d\"/></joint>",
    "<joint name=\"%n\" type=\"continuous\"><parent link=\"%n\"/><child link=\"%n\"/><axis "
    "xyz=\"%3\"/></joint>",
    "<joint name=\"%n\" type=\"fixed\"><parent link=\"%n\"/><child link=\"%n\"/><origin xyz=\"%3\" "
    "rpy=\"%3\"/></joint>",
    "<joint name=\"%n\" type=\"floating\"><parent link=\"%n\"/><child link=\"%n\"/></joint>",
    "<joint name=\"%n\" type=\"planar\"><parent link=\"%n\"/><child link=\"%n\"/><axis "
    "xyz=\"%3\"/></joint>",
    "<collision name=\"%n\"><geometry><cylinder radius=\"%d\" "
    "length=\"%d\"/></geometry></collision>",
    "<collision><origin rpy=\"%3\"/><geometry><sphere radius=\"%d\"/></geometry></collision>",
    "<visual><geometry><capsule radius=\"%d\" length=\"%d\"/></geometry><material "
    "name=\"%n\"><color rgba=\"%3 1\"/></material></visual>",
    "<inertial><mass value=\"%d\"/></inertial>",
    "<origin xyz=\"%3\" rpy=\"%3\"/>",
    "<origin quat_xyzw=\"%3 1\"/>",
    "<axis xyz=\"%3\"/>",
    "<limit lower=\"%d\" upper=\"%d\" effort=\"%d\" velocity=\"%d\"/>",
    "<dynamics damping=\"%d\" friction=\"%d\"/>",
    "<mimic joint=\"%n\" multiplier=\"%d\" offset=\"%d\"/>",
    "<material name=\"%n\"><color rgba=\"%3 1\"/><texture filename=\"%n.png\"/></material>",
    "<mujoco><compiler discardvisual=\"false\" strippath=\"false\" fusestatic=\"true\" "
    "balanceinertia=\"true\"/></mujoco>",
    "<mujoco><option timestep=\"%d\"/><size njmax=\"%d\"/></mujoco>",
    "<transmission/>",
    "<gazebo reference=\"%n\"/>",
    " name=\"%n\"",
    " type=\"prismatic\"",
};
enum { PIECES = sizeof(pieces) / sizeof(pieces[0]) };


static size_t writeNumber(cfDice* dice, char* to) {
  static const char* const odd[] = {"nan", "inf",    "-1e300",     "1e300", "x",
                                    "",    "1e-300", "2147483648", "1 2"};
  if (!cf_roll(dice, 16)) {
    return (size_t)sprintf(to, "%s", odd[cf_roll(dice, sizeof(odd) / sizeof(odd[0]))]);
  }
  return (size_t)sprintf(to, cf_roll(dice, 2) ? "%d" : "%d.5", (int)cf_roll(dice, 5) - 1);
}


static size_t writeName(cfDice* dice, char* to) {
  static const char* const names[] = {"base", "l1",   "l2",    "l3", "l4", "l5", "j1",
                                      "j2",   "blue", "world", "v",  "",   "a"};
  return (size_t)sprintf(to, "%s", names[cf_roll(dice, sizeof(names) / sizeof(names[0]))]);
}


static size_t writePiece(cfDice* dice, char* to) {
  size_t n = 0;
  for (const char* p = pieces[cf_roll(dice, PIECES)]; *p; p++) {
    if (*p != '%') {
      to[n++] = *p;
    } else if (*++p == 'n') {
      n += writeName(dice, to + n);
    } else {
      for (int k = *p == '3' ? 3 : 1; k > 0; k--) {
        n += writeNumber(dice, to + n);
        to[n] = ' ';
        n += k > 1;
      }
    }
  }
  return n;
}


static void replaceText(urdfText* x, size_t from, size_t to, const char* text, size_t length) {
  if (from <= to && to <= x->size && x->size - (to - from) + length <= TEXT_MAX) {
    memmove(x->text + from + length, x->text + to, x->size - to);
    memcpy(x->text + from, text, length);
    x->size += length - (to - from);
    x->text[x->size] = 0;
  }
}


// a place of a character, at or behind a random place, or the end of the text
static size_t somePlace(urdfText* x, char c) {
  const char* at = strchr(x->text + cf_roll(&x->dice, x->size + 1), c);
  return at ? (size_t)(at - x->text) : x->size;
}


static void addPiece(urdfText* x) {
  char piece[PIECE_MAX];
  size_t length = writePiece(&x->dice, piece), at = somePlace(x, '<');
  replaceText(x, at, at, piece, length);
}


static void dropPiece(urdfText* x) {
  size_t from = somePlace(x, '<');
  const char* end = strchr(x->text + from, '>');
  if (end) {
    replaceText(x, from, (size_t)(end - x->text) + 1, "", 0);
  }
}


static void repeatPiece(urdfText* x) {
  size_t from = somePlace(x, '<'), to = somePlace(x, '<'), at = somePlace(x, '<');
  char piece[PIECE_MAX];
  if (from < to && to - from < PIECE_MAX) {
    memcpy(piece, x->text + from, to - from);
    replaceText(x, at, at, piece, to - from);
  }
}


static void changeValue(urdfText* x) {
  size_t equal = somePlace(x, '=');
  if (equal + 2 >= x->size) {
    return;
  }
  const char* end = strchr(x->text + equal + 2, x->text[equal + 1]);
  char value[PIECE_MAX];
  size_t length = cf_roll(&x->dice, 2) ? writeNumber(&x->dice, value) : writeName(&x->dice, value);
  if (end) {
    replaceText(x, equal + 2, (size_t)(end - x->text), value, length);
  }
}


size_t cf_mutateUrdf(uint8_t* data, size_t size, size_t max, unsigned seed) {
  static void (*const changes[])(urdfText*) = {addPiece,    addPiece,    dropPiece,
                                               repeatPiece, changeValue, changeValue};
  static urdfText x;
  if (size > TEXT_MAX || memchr(data, 0, size)) {
    return 0;
  }
  x.dice = cf_newDice(seed);
  memcpy(x.text, data, size);
  x.text[size] = 0;
  x.size = size;
  for (unsigned k = 1 + cf_roll(&x.dice, 4); k > 0; k--) {
    changes[cf_roll(&x.dice, sizeof(changes) / sizeof(changes[0]))](&x);
  }
  size_t length = x.size < max ? x.size : max;
  memcpy(data, x.text, length);
  return length;
}
