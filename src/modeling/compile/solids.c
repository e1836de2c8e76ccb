// Solids and shells: volume, diagonal inertia and bounds.
#include "compile/solids.h"

#include <math.h>
#include <string.h>

#include "base/assert.h"
#include "math/libm.h"

typedef double volumeFormula(const double size[3], bool is_shell);
typedef void inertiaFormula(double inertia[3], const double size[3], bool is_shell, double mass);


//---------------------------------- volumes and areas ---------------------------------------------

static double sphereVolume(const double size[3], bool is_shell) {
  const double r = size[0];
  return is_shell ? 4 * mjPI * r * r : 4 * mjPI * r * r * r / 3;
}


static double capsuleVolume(const double size[3], bool is_shell) {
  const double r = size[0], height = 2 * size[1];
  return is_shell ? 4 * mjPI * r * r + 2 * mjPI * r * height
                  : mjPI * (r * r * height + 4 * r * r * r / 3);
}


static double cylinderVolume(const double size[3], bool is_shell) {
  const double r = size[0], height = 2 * size[1];
  return is_shell ? 2 * mjPI * r * r + 2 * mjPI * r * height : mjPI * r * r * height;
}


// area of an ellipsoid by Thomsen's formula, within 1.061 %
static double ellipsoidVolume(const double size[3], bool is_shell) {
  if (!is_shell) {
    return 4 * mjPI * size[0] * size[1] * size[2] / 3;
  }
  const double p = 1.6075;
  double sum = 0;
  for (int k = 0; k < 3; k++) {
    sum += cfi_pow(size[k] * size[(k + 1) % 3], p);
  }
  return 4 * mjPI * cfi_pow(sum / 3, 1 / p);
}


static double boxVolume(const double size[3], bool is_shell) {
  return is_shell ? 8 * (size[0] * size[1] + size[1] * size[2] + size[2] * size[0])
                  : size[0] * size[1] * size[2] * 8;
}


//---------------------------------- inertia -------------------------------------------------------

// the same about x and y, another about z
static void setAxial(double inertia[3], double across, double along) {
  inertia[0] = inertia[1] = across;
  inertia[2] = along;
}


// mass * (sum of the two other squares) / divisor: boxes by 3, ellipsoids by 5
static void setFromSquares(double inertia[3], const double half[3], double mass, double divisor) {
  CF_ASSERT(divisor > 0);
  const double xx = half[0] * half[0], yy = half[1] * half[1], zz = half[2] * half[2];
  inertia[0] = mass * (yy + zz) / divisor;
  inertia[1] = mass * (xx + zz) / divisor;
  inertia[2] = mass * (xx + yy) / divisor;
}


static void sphereInertia(double inertia[3], const double size[3], bool is_shell, double mass) {
  const double value = 2 * mass * size[0] * size[0] / (is_shell ? 3 : 5);
  setAxial(inertia, value, value);
}


// open tube or solid cylinder
static void tubeInertia(double inertia[3], double r, double height, bool is_shell, double mass) {
  setAxial(inertia, mass * ((is_shell ? 6 : 3) * r * r + height * height) / 12,
           is_shell ? mass * r * r : mass * r * r / 2);
}


// cylinder and two half balls, or the surface of both
static void capsuleInertia(double inertia[3], const double size[3], bool is_shell, double mass) {
  const double r = size[0], half = size[1], height = 2 * size[1];
  double ball_mass, ball_inertia, ball_shift;
  if (is_shell) {
    const double ball_area = 4 * mjPI * r * r, tube_area = 2 * mjPI * r * height;
    const double center = r / 2, distance = half + r / 2;
    ball_mass = mass * ball_area / (ball_area + tube_area);
    ball_inertia = 2 * ball_mass * r * r / 3;
    ball_shift = ball_mass * (distance * distance - center * center);
  } else {
    ball_mass = mass * 4 * r / (4 * r + 3 * height);
    ball_inertia = 2 * ball_mass * r * r / 5;
    ball_shift = ball_mass * height * (3 * r + 2 * height) / 8;
  }
  tubeInertia(inertia, r, height, is_shell, mass - ball_mass);
  inertia[0] += ball_inertia + ball_shift;
  inertia[1] += ball_inertia + ball_shift;
  inertia[2] += ball_inertia;
}


// solid, or a tube closed by two disks
static void cylinderInertia(double inertia[3], const double size[3], bool is_shell, double mass) {
  const double r = size[0], half = size[1], height = 2 * size[1];
  if (!is_shell) {
    tubeInertia(inertia, r, height, false, mass);
    return;
  }
  const double disk_area = mjPI * r * r, tube_area = 2 * mjPI * r * height;
  const double disk_mass = mass * disk_area / (2 * disk_area + tube_area);
  tubeInertia(inertia, r, height, true, mass - 2 * disk_mass);
  const double across = disk_mass * r * r / 4 + disk_mass * half * half;
  inertia[0] += 2 * across;
  inertia[1] += 2 * across;
  inertia[2] += 2 * (disk_mass * r * r / 2);
}


// shell: the difference of two solids, one a micrometer thicker
static void ellipsoidInertia(double inertia[3], const double size[3], bool is_shell, double mass) {
  if (!is_shell) {
    setFromSquares(inertia, size, mass, 5);
    return;
  }
  const double skin = 1e-6;
  const double outer[3] = {size[0] + skin, size[1] + skin, size[2] + skin};
  const double inner_volume = ellipsoidVolume(size, false),
               outer_volume = ellipsoidVolume(outer, false);
  const double density = mass / (outer_volume - inner_volume);
  double inside[3];
  setFromSquares(inside, size, inner_volume * density, 5);
  setFromSquares(inertia, outer, outer_volume * density, 5);
  for (int k = 0; k < 3; k++) {
    inertia[k] -= inside[k];
  }
}


// shell: three pairs of plates, the one across axis k at distance size[k]
static void boxInertia(double inertia[3], const double size[3], bool is_shell, double mass) {
  if (!is_shell) {
    setFromSquares(inertia, size, mass, 3);
    return;
  }
  const double length[3] = {2 * size[0], 2 * size[1], 2 * size[2]};
  const double total = 2 * (length[0] * length[1] + length[1] * length[2] + length[2] * length[0]);
  double moment[3] = {0, 0, 0};
  for (int k = 0; k < 3; k++) {
    int i = (k + 1) % 3, j = (k + 2) % 3;
    const double plate = mass * (length[i] * length[j]) / total;
    const double ii = length[i] * length[i], jj = length[j] * length[j], shift = size[k] * size[k];
    moment[k] += plate * (ii + jj) / 12;
    moment[i] += plate * jj / 12 + plate * shift;
    moment[j] += plate * ii / 12 + plate * shift;
  }
  for (int k = 0; k < 3; k++) {
    inertia[k] = 2 * moment[k];
  }
}


//---------------------------------- tables --------------------------------------------------------

// formulas by geom type; a height field weighs as a box
static const struct {
  volumeFormula* volume;
  inertiaFormula* inertia;
  int sizes;
} shapes[mjNGEOMTYPES] = {
    [mjGEOM_PLANE] = {NULL, NULL, 3},
    [mjGEOM_HFIELD] = {boxVolume, boxInertia, 0},
    [mjGEOM_SPHERE] = {sphereVolume, sphereInertia, 1},
    [mjGEOM_CAPSULE] = {capsuleVolume, capsuleInertia, 2},
    [mjGEOM_ELLIPSOID] = {ellipsoidVolume, ellipsoidInertia, 3},
    [mjGEOM_CYLINDER] = {cylinderVolume, cylinderInertia, 2},
    [mjGEOM_BOX] = {boxVolume, boxInertia, 3},
};


int cfi_badSize(int type, const double size[3]) {
  for (int k = type == mjGEOM_PLANE ? 2 : 0; k < shapes[type].sizes; k++) {
    if (size[k] <= 0) {
      return k;
    }
  }
  return -1;
}


double cfi_shapeVolume(int type, const double size[3], bool is_shell) {
  return shapes[type].volume ? shapes[type].volume(size, is_shell) : 0;
}


void cfi_shapeInertia(double inertia[3], int type, const double size[3], bool is_shell,
                      double mass) {
  CF_ASSERT(type >= 0 && type < mjNGEOMTYPES);
  if (shapes[type].inertia) {
    shapes[type].inertia(inertia, size, is_shell, mass);
  } else {
    setAxial(inertia, 0, 0);
  }
}


bool cfi_shapeBox(double half[3], int type, const double size[3]) {
  switch (type) {
    case mjGEOM_SPHERE:
      half[0] = half[1] = half[2] = size[0];
      return true;
    case mjGEOM_CAPSULE:
      half[0] = half[1] = size[0];
      half[2] = size[0] + size[1];
      return true;
    case mjGEOM_CYLINDER:
      half[0] = half[1] = size[0];
      half[2] = size[1];
      return true;
    case mjGEOM_ELLIPSOID:
    case mjGEOM_BOX:
      memcpy(half, size, 3 * sizeof(double));
      return true;
    default:
      return false;
  }
}


double cfi_shapeRadius(int type, const double size[3]) {
  switch (type) {
    case mjGEOM_SPHERE:
      return size[0];
    case mjGEOM_CAPSULE:
      return size[0] + size[1];
    case mjGEOM_CYLINDER:
      return sqrt(size[0] * size[0] + size[1] * size[1]);
    case mjGEOM_ELLIPSOID:
      return cfi_fmax(cfi_fmax(size[0], size[1]), size[2]);
    case mjGEOM_BOX:
      return sqrt(size[0] * size[0] + size[1] * size[1] + size[2] * size[2]);
    default:
      return 0;
  }
}
