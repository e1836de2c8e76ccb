// Collisions of flexes with themselves and with each other: the acceptance criteria 42A-iv and
// 42A-v of document 003.
#include <stdbool.h>
#include <string.h>

#include <mujoco/mujoco.h>

#include "cf_test.h"
#include "cf_text.h"

typedef struct {
  mjModel* m;
  mjData* d;
} softScene;

enum { RIGID = 1, CROWDED = 2 };  // ways of a scene


// flexes of dimension 1, 2 and 3 far apart from each other, and a geom under each
static softScene openSeed(const char* contact, int way, unsigned seed) {
  static const char form[] =
      "<mujoco><size memory='60M'/><option gravity='0 0 0'/><worldbody>"
      "<geom type='box' size='.3 .3 .1' pos='0 0 -.14'/><geom size='.1' pos='5 0 -.11'/>"
      "<geom type='capsule' size='.05 .1' pos='10 0 -.06'/>"
      "<flexcomp name='line' type='grid' count='9 1 1' dim='1' spacing='.05 .05 .05' radius='.008' "
      "mass='1' %s><contact %s/><edge damping='.1'/></flexcomp>"
      "<flexcomp name='sheet' type='grid' count='5 5 1' dim='2' spacing='.05 .05 .05' radius='.008' "
      "mass='1' pos='5 0 0' %s><contact %s/><edge damping='.1'/></flexcomp>"
      "<flexcomp name='solid' type='grid' count='4 4 4' dim='3' spacing='.05 .05 .05' radius='.008' "
      "mass='1' pos='10 0 .08' %s><contact activelayers='2' %s/><edge damping='.1'/></flexcomp>"
      "</worldbody></mujoco>";
  const char* rigid = way & RIGID ? "rigid='true'" : "";
  char xml[3000];
  snprintf(xml, sizeof(xml), form, rigid, contact, rigid, contact, rigid, contact);
  softScene s = {.m = cf_compileText(xml)};
  s.d = mj_makeData(s.m);
  for (int i = 0; way & CROWDED && i < s.m->nq; i++) {
    seed = seed * 1664525u + 1013904223u;
    const mjtNum reach = i < 3 * s.m->flex_vertnum[0] ? 0.3 : 0.1;
    s.d->qpos[i] = reach * ((seed >> 8) / 16777216.0 - 0.5);
  }
  mj_fwdPosition(s.m, s.d);
  return s;
}


static softScene openScene(const char* contact, int way) {
  return openSeed(contact, way, 7);
}


static void closeScene(softScene s) {
  mj_deleteData(s.d);
  mj_deleteModel(s.m);
}


// kinds of contacts, by what touches
typedef enum { WITH_GEOM = 1, ELEMENTS = 2, VERTEX = 4, TWO_FLEXES = 8 } contactKind;

static contactKind kindOf(const mjContact* c) {
  if (c->geom[0] >= 0 || c->geom[1] >= 0) {
    return WITH_GEOM;
  }
  if (c->flex[0] != c->flex[1]) {
    return TWO_FLEXES;
  }
  return c->elem[0] >= 0 && c->elem[1] >= 0 ? ELEMENTS : VERTEX;
}


static int countKind(const mjData* d, int kinds, int flex) {
  int n = 0;
  for (int k = 0; k < d->ncon; k++) {
    const mjContact* c = d->contact + k;
    n += (kindOf(c) & kinds) && (flex < 0 || c->flex[1] == flex);
  }
  return n;
}


// ---------------------------------------- 42A-iv: self-collision

CF_TEST(C42A_iv_1_selfCollision__masks_that_do_not_meet__no_contacts) {
  static const char* const ways[] = {"narrow", "bvh", "sap", "auto"};
  for (int k = 0; k < 4; k++) {
    char contact[200];
    snprintf(contact, sizeof(contact),
             "selfcollide='%s' internal='true' contype='1' conaffinity='3'", ways[k]);
    softScene on = openScene(contact, CROWDED);
    CF_TRUE(countKind(on.d, ELEMENTS, -1) > 20 && countKind(on.d, VERTEX, -1) > 5);

    // with the geoms they meet still
    snprintf(contact, sizeof(contact),
             "selfcollide='%s' internal='true' contype='1' conaffinity='2'", ways[k]);
    softScene off = openScene(contact, CROWDED);
    CF_EQ_INT(countKind(off.d, ELEMENTS | VERTEX, -1), 0);
    CF_TRUE(countKind(off.d, WITH_GEOM, -1) > 5);
    CF_EQ_INT(countKind(off.d, WITH_GEOM, -1), countKind(on.d, WITH_GEOM, -1));
    closeScene(on);
    closeScene(off);
  }
}


CF_TEST(C42A_iv_2_selfCollision__rigid_flexes__no_contacts) {
  softScene s = openScene("selfcollide='narrow' internal='true'", 0);
  const int apart = countKind(s.d, ELEMENTS | VERTEX, -1);
  closeScene(s);

  // elements that would touch: a radius that reaches beyond the neighbors
  for (int way = 0; way <= RIGID; way++) {
    s = openScene("selfcollide='narrow' internal='true'", way);
    for (int f = 0; f < 3; f++) {
      CF_EQ_INT(s.m->flex_rigid[f], way == RIGID);
      s.m->flex_radius[f] = 0.04;
    }
    mj_fwdPosition(s.m, s.d);
    const int close = countKind(s.d, ELEMENTS | VERTEX, -1);
    CF_TRUE(way == RIGID ? close == 0 : close > apart + 20);

    // the flag alone decides
    memset(s.m->flex_rigid, way != RIGID, 3);
    mj_collision(s.m, s.d);
    CF_EQ_INT(countKind(s.d, ELEMENTS | VERTEX, -1) > 0, way == RIGID);
    closeScene(s);
  }
}


CF_TEST(C42A_iv_3_selfCollision__internal_and_self__independent) {
  int count[4][2];
  for (int k = 0; k < 4; k++) {
    char contact[200];
    snprintf(contact, sizeof(contact), "internal='%s' selfcollide='%s'", k & 1 ? "true" : "false",
             k & 2 ? "auto" : "none");
    softScene s = openScene(contact, CROWDED);
    count[k][0] = countKind(s.d, VERTEX, -1);
    count[k][1] = countKind(s.d, ELEMENTS, -1);
    closeScene(s);
  }
  CF_TRUE(count[3][0] > 5 && count[3][1] > 20);
  for (int k = 0; k < 4; k++) {
    CF_EQ_INT(count[k][0], k & 1 ? count[3][0] : 0);
    CF_EQ_INT(count[k][1], k & 2 ? count[3][1] : 0);
  }
}


CF_TEST(C42A_iv_4_selfCollision__none__no_contacts) {
  softScene s = openScene("selfcollide='none' internal='false'", CROWDED);
  CF_EQ_INT(countKind(s.d, ELEMENTS | VERTEX, -1), 0);
  for (int f = 0; f < 3; f++) {
    CF_TRUE(countKind(s.d, WITH_GEOM, f) > 0);
  }
  closeScene(s);
}


// do two elements have a corner in common
static bool touchAtCorner(const mjModel* m, int f, int e1, int e2) {
  const int n = m->flex_dim[f] + 1, *elem = m->flex_elem + m->flex_elemdataadr[f];
  bool common = false;
  for (int k = 0; k < n * n; k++) {
    common |= elem[n * e1 + k / n] == elem[n * e2 + k % n];
  }
  return common;
}


// a strip of triangles folded back over itself: parallel layers, whose distance is known
CF_TEST(C42A_iv_5_selfCollision__narrow_and_folded_strip__pairs_and_distances) {
  mjModel* m = cf_compileText(
      "<mujoco><option gravity='0 0 0'/><worldbody><flexcomp name='s' type='grid' count='7 2 1' "
      "dim='2' spacing='.1 .1 .1' radius='.02' mass='1'><contact selfcollide='narrow' "
      "internal='false'/><edge damping='.1'/></flexcomp></worldbody></mujoco>");
  mjData* d = mj_makeData(m);
  mj_kinematics(m, d);
  // columns 4 to 6 lie above columns 2 to 0, and column 3 stands between them
  for (int v = 0; v < m->nflexvert; v++) {
    mjtNum* q = d->qpos + m->jnt_qposadr[m->body_jntadr[m->flex_vertbodyid[v]]];
    const int column = (int)floor((d->xpos[3 * m->flex_vertbodyid[v]] + 0.3) / 0.1 + 0.5);
    q[0] = column > 3 ? 2 * (3 - column) * 0.1 : 0;
    q[2] = column > 3 ? 0.03 : 0;
  }
  mj_fwdPosition(m, d);
  const int f = 0, first = m->flex_dim[f] + 1;
  CF_TRUE(d->ncon >= 8);
  for (int k = 0; k < d->ncon; k++) {
    const mjContact* c = d->contact + k;
    CF_TRUE(c->elem[0] < c->elem[1] && !touchAtCorner(m, f, c->elem[0], c->elem[1]));
    mjtNum height[2][2] = {{1, -1}, {1, -1}};
    for (int side = 0; side < 2; side++) {
      for (int i = 0; i < first; i++) {
        const mjtNum z = d->flexvert_xpos[3 * m->flex_elem[first * c->elem[side] + i] + 2];
        height[side][0] = fmin(height[side][0], z);
        height[side][1] = fmax(height[side][1], z);
      }
    }
    // both flat, one on each side: 3 cm apart, with a radius of 2 cm each
    if (height[0][1] < 1e-9 && height[1][0] > 0.03 - 1e-9) {
      CF_NEAR(c->dist, 0.03 - 2 * 0.02, 1e-5);
      CF_NEAR(fabs(c->frame[2]), 1, 2e-3);
      CF_NEAR(c->pos[2], 0.015, 1e-3);
    }
    CF_TRUE(c->dist < 0 && c->dist > -0.04 - 1e-9);
  }
  mj_deleteData(d);
  mj_deleteModel(m);
}


static int byElements(const void* a, const void* b) {
  const mjContact *x = a, *y = b;
  const int low[2] = {x->elem[0] < x->elem[1] ? x->elem[0] : x->elem[1],
                      y->elem[0] < y->elem[1] ? y->elem[0] : y->elem[1]};
  const int high[2] = {x->elem[0] + x->elem[1] - low[0], y->elem[0] + y->elem[1] - low[1]};
  return x->flex[0] != y->flex[0] ? x->flex[0] - y->flex[0]
         : low[0] != low[1]       ? low[0] - low[1]
                                  : high[0] - high[1];
}


// contacts between elements, in the order of the elements; n of them
static mjContact* listElements(softScene s, int* n) {
  mjContact* list = malloc(sizeof(mjContact) * (size_t)(s.d->ncon + 1));
  *n = 0;
  for (int k = 0; k < s.d->ncon; k++) {
    if (kindOf(s.d->contact + k) == ELEMENTS) {
      list[(*n)++] = s.d->contact[k];
    }
  }
  qsort(list, (size_t)*n, sizeof(mjContact), byElements);
  return list;
}


// same pairs, same bits; a pair in the other order has its normal turned round, and GJK and EPA
// stop at another place within their tolerance, as in MuJoCo
static void expectSameContacts(const mjContact* a, const mjContact* b, int n) {
  for (int i = 0; i < n; i++) {
    const bool is_turned = a[i].elem[0] != b[i].elem[0];
    CF_EQ_INT(byElements(a + i, b + i), 0);
    CF_NEAR(a[i].dist, b[i].dist, is_turned ? 1e-4 : 0);
    if (!is_turned) {
      CF_NEAR_ARRAY(a[i].pos, b[i].pos, 3, 0);
      CF_NEAR_ARRAY(a[i].frame, b[i].frame, 9, 0);
    }
  }
}


CF_TEST(C42A_iv_6_selfCollision__trees_and_sweep__contacts_of_brute_force) {
  static const char* const ways[] = {"narrow", "bvh", "sap", "auto"};
  for (unsigned seed = 1; seed <= (CF_SANITIZED ? 2 : 8); seed++) {
    mjContact* list[4];
    int n[4];
    for (int k = 0; k < 4; k++) {
      char contact[200];
      snprintf(contact, sizeof(contact), "selfcollide='%s' internal='false'", ways[k]);
      softScene s = openSeed(contact, CROWDED, seed);
      CF_EQ_INT(s.m->flex_selfcollide[2], mjFLEXSELF_NARROW + k);
      CF_TRUE(countKind(s.d, ELEMENTS, 1) > 0 && countKind(s.d, ELEMENTS, 2) > 20);
      list[k] = listElements(s, n + k);
      closeScene(s);
    }
    for (int k = 1; k < 4; k++) {
      CF_EQ_INT(n[k], n[0]);
      expectSameContacts(list[k], list[0], n[0]);
    }
    for (int k = 0; k < 4; k++) {
      free(list[k]);
    }
  }
}


// the contacts of flexes with geoms, bit for bit
static void expectSameGeomContacts(softScene a, softScene b, int flexes) {
  int k = 0, n = 0;
  for (int i = 0; i < a.d->ncon; i++) {
    const mjContact* x = a.d->contact + i;
    if (kindOf(x) != WITH_GEOM || x->flex[1] >= flexes) {
      continue;
    }
    while (k < b.d->ncon &&
           (kindOf(b.d->contact + k) != WITH_GEOM || b.d->contact[k].flex[1] >= flexes)) {
      k++;
    }
    CF_TRUE(k < b.d->ncon);
    const mjContact* y = b.d->contact + k++;
    CF_EQ_INT(y->geom[0], x->geom[0]);
    CF_EQ_INT(y->flex[1], x->flex[1]);
    CF_EQ_INT(y->elem[1], x->elem[1]);
    CF_EQ_BYTES(&y->dist, &x->dist, sizeof(mjtNum));
    CF_EQ_BYTES(y->pos, x->pos, sizeof(x->pos));
    CF_EQ_BYTES(y->frame, x->frame, sizeof(x->frame));
    CF_EQ_BYTES(y->friction, x->friction, sizeof(x->friction));
    n++;
  }
  CF_TRUE(n > 5);
}


CF_TEST(C42A_iv_7_selfCollision__switched_on__contacts_with_geoms_unchanged) {
  softScene off = openScene("selfcollide='none' internal='false'", CROWDED);
  softScene on = openScene("selfcollide='auto' internal='true'", CROWDED);
  CF_TRUE(on.d->ncon > off.d->ncon);
  CF_EQ_INT(countKind(on.d, WITH_GEOM, -1), countKind(off.d, WITH_GEOM, -1));
  expectSameGeomContacts(off, on, 3);
  closeScene(off);
  closeScene(on);
}


// ---------------------------------------- 42A-v: two flexes

// two flexes above each other: sheet and sheet, solid and solid, line and sheet
static softScene openPair(int dim1, int dim2, mjtNum height, const char* contact1,
                          const char* contact2) {
  static const char* const count[4] = {"", "3 1 1", "3 3 1", "3 3 2"};
  static const char* const form =
      "<mujoco><size memory='20M'/><option gravity='0 0 0'/><worldbody>"
      "<flexcomp name='a' type='grid' count='%s' dim='%d' spacing='.1 .1 .1' radius='.02' mass='1'>"
      "<contact selfcollide='none' internal='false' %s/><edge damping='.1'/></flexcomp>"
      "<flexcomp name='b' type='grid' count='%s' dim='%d' spacing='.1 .1 .1' radius='.01' mass='1' "
      "pos='0 0 %g'>"
      "<contact selfcollide='none' internal='false' %s/><edge damping='.1'/></flexcomp>"
      "</worldbody></mujoco>";
  char xml[3000];
  snprintf(xml, sizeof(xml), form, count[dim1], dim1, contact1, count[dim2], dim2, height,
           contact2);
  softScene s = {.m = cf_compileText(xml)};
  s.d = mj_makeData(s.m);
  mj_fwdPosition(s.m, s.d);
  return s;
}


CF_TEST(C42A_v_1_C42A_v_3_twoFlexes__every_pair_of_masks__contacts_if_one_side_meets) {
  int met = 0;
  for (int k = 0; k < 256; k++) {
    const int mask[4] = {k & 3, k >> 2 & 3, k >> 4 & 3, k >> 6 & 3};
    char contact[2][100];
    for (int side = 0; side < 2; side++) {
      snprintf(contact[side], sizeof(contact[side]), "contype='%d' conaffinity='%d'",
               mask[2 * side], mask[2 * side + 1]);
    }
    softScene s = openPair(2, 2, 0.02, contact[0], contact[1]);
    const bool meets = (mask[0] & mask[3]) || (mask[2] & mask[1]);
    CF_EQ_INT(s.d->ncon > 0, meets);
    CF_EQ_INT(countKind(s.d, TWO_FLEXES, -1), s.d->ncon);
    met += meets;
    closeScene(s);
  }
  CF_TRUE(met > 50 && met < 250);
}


CF_TEST(C42A_v_2_twoFlexes__every_pair_of_dimensions__contacts_where_elements_meet) {
  for (int k = 0; k < 9; k++) {
    const int dim[2] = {1 + k / 3, 1 + k % 3};
    const mjtNum top = dim[0] == 3 ? 0.05 : 0, below = dim[1] == 3 ? 0.05 : 0;
    // surfaces 2 cm apart, with radii of 2 and 1 cm
    softScene s = openPair(dim[0], dim[1], top + below + 0.02, "", "");
    CF_TRUE(s.d->ncon > 0);
    for (int i = 0; i < s.d->ncon; i++) {
      const mjContact* c = s.d->contact + i;
      CF_EQ_INT(c->flex[0], 0);
      CF_EQ_INT(c->flex[1], 1);
      CF_TRUE(c->elem[0] >= 0 && c->elem[0] < s.m->flex_elemnum[0]);
      CF_TRUE(c->elem[1] >= 0 && c->elem[1] < s.m->flex_elemnum[1]);
      CF_TRUE(c->dist < 0);
    }
    // the deepest are those that lie above each other
    mjtNum deepest = 0;
    for (int i = 0; i < s.d->ncon; i++) {
      deepest = fmin(deepest, s.d->contact[i].dist);
    }
    CF_NEAR(deepest, -0.01, 1e-6);
    closeScene(s);

    // and none when they are out of reach
    s = openPair(dim[0], dim[1], top + below + 0.031, "", "");
    CF_EQ_INT(s.d->ncon, 0);
    closeScene(s);
  }
}


CF_TEST(C42A_v_4_twoFlexes__priority_and_solmix__decide_about_parameters) {
  static const char first[] =
      "condim='1' friction='.3 .002 .003' solref='.02 1' solimp='.8 .9 .01 .4 2' solmix='1' "
      "margin='.01' gap='.004'";
  static const char second[] =
      "condim='4' friction='.2 .004 .001' solref='.04 .5' solimp='.6 .7 .03 .5 3' solmix='3' "
      "margin='.02' gap='.005'";
  char higher[300];
  snprintf(higher, sizeof(higher), "%s priority='1'", first);

  // equal priorities: the larger dimension and friction, the rest weighted 1 to 3
  softScene s = openPair(2, 2, 0.02, first, second);
  const mjContact* c = s.d->contact;
  const mjtNum friction[5] = {0.3, 0.3, 0.004, 0.003, 0.003}, solref[2] = {0.035, 0.625};
  const mjtNum solimp[5] = {0.65, 0.75, 0.025, 0.475, 2.75};
  CF_TRUE(s.d->ncon > 0);
  CF_EQ_INT(c->dim, 4);
  CF_NEAR_ARRAY(c->friction, friction, 5, 1e-15);
  CF_NEAR_ARRAY(c->solref, solref, 2, 1e-15);
  CF_NEAR_ARRAY(c->solimp, solimp, 5, 1e-15);
  CF_NEAR(c->includemargin, 0.03 - 0.009, 1e-15);
  closeScene(s);

  // the higher one alone
  s = openPair(2, 2, 0.02, higher, second);
  c = s.d->contact;
  const mjtNum own_friction[5] = {0.3, 0.3, 0.002, 0.003, 0.003}, own_solref[2] = {0.02, 1};
  const mjtNum own_solimp[5] = {0.8, 0.9, 0.01, 0.4, 2};
  CF_TRUE(s.d->ncon > 0);
  CF_EQ_INT(c->dim, 1);
  CF_NEAR_ARRAY(c->friction, own_friction, 5, 1e-15);
  CF_NEAR_ARRAY(c->solref, own_solref, 2, 1e-15);
  CF_NEAR_ARRAY(c->solimp, own_solimp, 5, 1e-15);
  CF_NEAR(c->includemargin, 0.03 - 0.009, 1e-15);
  closeScene(s);
}


// three flexes with and without a fourth that meets them all
CF_TEST(C42A_v_5_twoFlexes__another_one_comes__other_contacts_unchanged) {
  static const char form[] =
      "<mujoco><size memory='60M'/><option gravity='0 0 0'/><worldbody>"
      "<geom type='box' size='.3 .3 .1' pos='0 0 -.11'/>"
      "<flexcomp name='a' type='grid' count='4 4 1' dim='2' spacing='.05 .05 .05' radius='.02' "
      "mass='1'><contact selfcollide='narrow' internal='true'/><edge damping='.1'/></flexcomp>"
      "<flexcomp name='b' type='grid' count='4 4 1' dim='2' spacing='.05 .05 .05' radius='.02' "
      "mass='1' pos='0 0 .03' euler='0 0 20'><contact %s selfcollide='none' internal='false'/>"
      "<edge damping='.1'/></flexcomp></worldbody></mujoco>";
  softScene s[2];
  int own[2];
  for (int k = 0; k < 2; k++) {
    char xml[2000];
    snprintf(xml, sizeof(xml), form, k ? "" : "contype='0' conaffinity='0'");
    s[k].m = cf_compileText(xml);
    s[k].m->flex_radius[0] = 0.04;
    s[k].d = mj_makeData(s[k].m);
    mj_fwdPosition(s[k].m, s[k].d);
    own[k] = countKind(s[k].d, ELEMENTS | VERTEX, 0);
    CF_EQ_INT(countKind(s[k].d, TWO_FLEXES, -1) > 0, k);
  }
  CF_TRUE(own[0] > 5);
  CF_EQ_INT(own[1], own[0]);
  expectSameGeomContacts(s[0], s[1], 1);
  closeScene(s[0]);
  closeScene(s[1]);
}


// ---------------------------------------- bad input

static char last_error[200];
static void noteError(const char* message) {
  snprintf(last_error, sizeof(last_error), "%s", message);
}


// MuJoCo compiles any dimension of a flex's contacts; a file of it is accepted, and the step says
// so
CF_TEST(contactDimension__of_a_flex_that_is_none__saved_loaded_and_refused_in_a_step) {
  static const int dims[] = {-1, 0, 2, 5, 7};
  for (int k = 0; k < 5; k++) {
    char contact[100];
    snprintf(contact, sizeof(contact), "condim='%d' priority='1'", dims[k]);
    softScene s = openPair(2, 2, 1, contact, "");
    const int size = (int)mj_sizeModel(s.m);
    void* buffer = malloc((size_t)size);
    mj_saveModel(s.m, NULL, buffer, size);
    mjModel* again = mj_loadModelBuffer(buffer, size);
    free(buffer);
    CF_TRUE(again != NULL);
    mjData* d = mj_makeData(again);
    mj_step(again, d);
    CF_EQ_INT(d->ncon, 0);

    // nothing but a handler that returns between the error and the end of the step
    for (int i = 0; i < again->nv / 2; i += 3) {
      d->qpos[i + 2] = 0.98;
    }
    void (*before)(const char*) = mju_user_error;
    mju_user_error = noteError;
    last_error[0] = 0;
    mj_step(again, d);
    mju_user_error = before;
    char expected[100];
    snprintf(expected, sizeof(expected), "contact dimension %d is not one of 1, 3, 4, 6", dims[k]);
    CF_HAS_STR(last_error, expected);
    mj_deleteData(d);
    mj_deleteModel(again);
    closeScene(s);
  }
}


CF_TEST_MAIN("flex/selfcollision")
