// The collision stage: filters, order, middle phase, memory, flags, callbacks.
#include "cf_guard.h"
#include "collidetest.h"

// four balls in a row that overlap their neighbors, each on its own free body
static const char* const chain =
    "<mujoco><worldbody>"
    "<body name=\"a\" pos=\"0 0 0\"><freejoint/><geom name=\"a\" size=\".1\"/></body>"
    "<body name=\"b\" pos=\".15 0 0\"><freejoint/><geom name=\"b\" size=\".1\"/></body>"
    "<body name=\"c\" pos=\".3 0 0\"><freejoint/><geom name=\"c\" size=\".1\"/></body>"
    "<body name=\"d\" pos=\".45 0 0\"><freejoint/><geom name=\"d\" size=\".1\"/></body>"
    "</worldbody>%s</mujoco>";


static cfScene chainScene(const char* extra) {
  char text[2000];
  snprintf(text, sizeof(text), chain, extra);
  return cf_sceneFromText(text);
}


static void expectPairs(const mjData* d, int n, const int pairs[][2]) {
  CF_EQ_INT(d->ncon, n);
  for (int k = 0; k < n; k++) {
    CF_EQ_INT(d->contact[k].geom[0], pairs[k][0]);
    CF_EQ_INT(d->contact[k].geom[1], pairs[k][1]);
  }
}


CF_TEST(contacts__single_geoms__ordered_by_bodies) {
  cfScene s = chainScene("");
  expectPairs(s.d, 3, (const int[][2]){{0, 1}, {1, 2}, {2, 3}});
  cf_freeScene(s);
}


CF_TEST(exclude__one_pair__its_contact_is_gone) {
  cfScene s = chainScene("<contact><exclude body1=\"b\" body2=\"c\"/></contact>");
  expectPairs(s.d, 2, (const int[][2]){{0, 1}, {2, 3}});
  cf_freeScene(s);
}


CF_TEST(pair__beside_dynamic_contacts__found_once_at_its_place) {
  cfScene s = chainScene(
      "<contact><pair geom1=\"c\" geom2=\"b\" condim=\"6\"/><pair geom1=\"d\" geom2=\"a\" "
      "margin=\"1\"/></contact>");
  expectPairs(s.d, 4, (const int[][2]){{0, 1}, {0, 3}, {1, 2}, {2, 3}});
  CF_EQ_INT(s.d->contact[2].dim, 6);
  cf_freeScene(s);
}


CF_TEST(filter_parent__child_touches_parent__only_with_the_flag) {
  const char* text =
      "<mujoco><option><flag filterparent=\"%s\"/></option><worldbody><body><freejoint/><geom "
      "size=\".1\"/>"
      "<body pos=\".1 0 0\"><joint/><geom size=\".1\"/></body></body></worldbody></mujoco>";
  for (int disabled = 0; disabled < 2; disabled++) {
    char model[1000];
    snprintf(model, sizeof(model), text, disabled ? "disable" : "enable");
    cfScene s = cf_sceneFromText(model);
    CF_EQ_INT(s.d->ncon, disabled);
    cf_freeScene(s);
  }
}


CF_TEST(welded_bodies__overlapping__never_collide) {
  cfScene s = cf_sceneFromText(
      "<mujoco><worldbody><geom size=\".1\"/><body><geom size=\".1\"/></body><body pos=\"3 0 "
      "0\"><freejoint/>"
      "<geom size=\".1\"/><body><geom size=\".1\"/></body></body></worldbody></mujoco>");
  CF_EQ_INT(s.d->ncon, 0);
  cf_freeScene(s);
}


CF_TEST(masks__contype_and_conaffinity__either_direction) {
  const char* text =
      "<mujoco><worldbody><body><freejoint/><geom size=\".1\" contype=\"%d\" "
      "conaffinity=\"%d\"/></body>"
      "<body pos=\".1 0 0\"><freejoint/><geom size=\".1\" contype=\"%d\" "
      "conaffinity=\"%d\"/></body></worldbody></mujoco>";
  for (int k = 0; k < 256; k++) {
    const int mask[4] = {k & 3, k >> 2 & 3, k >> 4 & 3, k >> 6 & 3};
    char model[1000];
    snprintf(model, sizeof(model), text, mask[0], mask[1], mask[2], mask[3]);
    cfScene s = cf_sceneFromText(model);
    CF_EQ_INT(s.d->ncon, (mask[0] & mask[3]) || (mask[2] & mask[1]));
    cf_freeScene(s);
  }
}


CF_TEST(masks__changed_after_compilation__seen_by_the_next_step) {
  cfScene s = chainScene("");
  s.m->geom_contype[1] = s.m->geom_conaffinity[1] = 0;
  mj_collision(s.m, s.d);
  expectPairs(s.d, 1, (const int[][2]){{2, 3}});

  // bits that the body's masks lack do not make it collide
  s.m->geom_contype[1] = s.m->geom_conaffinity[1] = 2;
  s.m->geom_contype[2] = s.m->geom_conaffinity[2] = 3;
  mj_collision(s.m, s.d);
  expectPairs(s.d, 2, (const int[][2]){{1, 2}, {2, 3}});
  cf_freeScene(s);
}


CF_TEST(flags__contact_or_constraint_disabled__no_contacts) {
  cfScene s = chainScene("");
  const int flags[2] = {mjDSBL_CONTACT, mjDSBL_CONSTRAINT};
  for (int k = 0; k < 2; k++) {
    s.m->opt.disableflags = flags[k];
    mj_collision(s.m, s.d);
    CF_EQ_INT(s.d->ncon, 0);
  }
  cf_freeScene(s);
}


// bodies of several geoms in a heap
static char* heapText(void) {
  static char text[20000];
  int used = snprintf(text, sizeof(text),
                      "<mujoco><worldbody><geom type=\"plane\" size=\"2 2 1\"/>"
                      "<geom type=\"box\" size=\".3 .3 .05\" pos=\".2 .2 .05\"/>");
  static const char* const type[3] = {"sphere", "capsule", "box"};
  for (int b = 0; b < 12; b++) {
    used +=
        snprintf(text + used, sizeof(text) - (size_t)used, "<body pos=\"%g %g %g\"><freejoint/>",
                 cf_uniform(-.4, .4), cf_uniform(-.4, .4), cf_uniform(.05, .5));
    for (int g = 0; g < 3; g++) {
      used += snprintf(text + used, sizeof(text) - (size_t)used,
                       "<geom type=\"%s\" size=\".08 .1 .07\" pos=\"%g %g %g\" euler=\"%g %g 0\"/>",
                       type[(b + g) % 3], cf_uniform(-.15, .15), cf_uniform(-.15, .15),
                       cf_uniform(-.15, .15), cf_uniform(0, 90), cf_uniform(0, 90));
    }
    used += snprintf(text + used, sizeof(text) - (size_t)used, "</body>");
  }
  snprintf(text + used, sizeof(text) - (size_t)used, "</worldbody></mujoco>");
  return text;
}


static int compareGeoms(const void* a, const void* b) {
  const mjContact *p = a, *q = b;
  for (int k = 0; k < 2; k++) {
    if (p->geom[k] != q->geom[k]) {
      return p->geom[k] < q->geom[k] ? -1 : 1;
    }
  }
  return memcmp(p->pos, q->pos, sizeof(p->pos));
}


CF_TEST(AC31_AC33__midphase_disabled__same_contacts) {
  cfScene s = cf_sceneFromText(heapText());
  const int n = s.d->ncon;
  CF_TRUE(n > 20);
  mjContact* with = malloc(sizeof(mjContact) * (size_t)n);
  memcpy(with, s.d->contact, sizeof(mjContact) * (size_t)n);

  s.m->opt.disableflags |= mjDSBL_MIDPHASE;
  mj_collision(s.m, s.d);
  CF_EQ_INT(s.d->ncon, n);
  qsort(with, (size_t)n, sizeof(mjContact), compareGeoms);
  qsort(s.d->contact, (size_t)n, sizeof(mjContact), compareGeoms);
  for (int k = 0; k < n; k++) {
    CF_EQ_INT(s.d->contact[k].geom[0], with[k].geom[0]);
    CF_EQ_INT(s.d->contact[k].geom[1], with[k].geom[1]);
    CF_NEAR(s.d->contact[k].dist, with[k].dist, 0);
    CF_NEAR_ARRAY(s.d->contact[k].pos, with[k].pos, 3, 0);
    CF_NEAR_ARRAY(s.d->contact[k].frame, with[k].frame, 9, 0);
  }
  free(with);
  cf_freeScene(s);
}


// parts of a robot: what is seen does not collide
CF_TEST(trees__one_colliding_geom_a_body__contacts_and_marks_without_the_others) {
  char text[3000];
  int used = snprintf(text, sizeof(text), "<mujoco><worldbody>");
  for (int k = 0; k < 8; k++) {
    used += snprintf(text + used, sizeof(text) - (size_t)used,
                     "<body pos=\"%g 0 0\"><freejoint/><geom size=\".4\" contype=\"0\" "
                     "conaffinity=\"0\"/><geom type=\"%s\" size=\".06 .06 .06\"/></body>",
                     k < 5 ? 0.1 * k : 1.0 * k, k % 2 ? "box" : "sphere");
  }
  snprintf(text + used, sizeof(text) - (size_t)used, "</worldbody></mujoco>");
  cfScene s = cf_sceneFromText(text);
  CF_EQ_INT(s.m->body_bvhnum[1], 1);
  CF_EQ_INT(s.m->body_geomnum[1], 2);
  CF_EQ_INT(s.d->ncon, 4);
  for (int b = 1; b <= 8; b++) {
    CF_EQ_INT(s.d->bvh_active[s.m->body_bvhadr[b]], b <= 5);
  }
  for (int k = 0; k < 4; k++) {
    CF_EQ_INT(s.m->geom_bodyid[s.d->contact[k].geom[0]] + s.m->geom_bodyid[s.d->contact[k].geom[1]],
              2 * k + 3);
  }

  // marks are forgotten when the bodies are apart
  for (int k = 0; k < 8; k++) {
    s.d->qpos[7 * k] = 3 * k;
  }
  mj_kinematics(s.m, s.d);
  mj_comPos(s.m, s.d);
  mj_collision(s.m, s.d);
  for (int k = 0; k < s.m->nbvh; k++) {
    CF_EQ_INT(s.d->bvh_active[k], 0);
  }
  cf_freeScene(s);
}


// few bodies: the frame of the boxes is looked for only where nothing else decides, and nobody can
// tell.  Recorded with MuJoCo 3.5.0
CF_TEST(trees__few_bodies__contacts_and_marks_as_recorded) {
  cfScene s = cf_sceneFromText(
      "<mujoco><worldbody>"
      "<body><freejoint/><geom size=\".1\" pos=\"-.3 0 0\"/><geom size=\".1\" pos=\".3 0 0\"/>"
      "<geom type=\"box\" size=\".3 .03 .03\"/></body>"
      "<body><freejoint/><geom size=\".1\" pos=\"0 -.3 0\"/><geom size=\".1\" pos=\"0 .3 0\"/></body>"
      "<body><freejoint/><geom type=\"capsule\" size=\".05 .2\"/>"
      "<geom size=\".3\" contype=\"0\" conaffinity=\"0\"/></body></worldbody></mujoco>");
  static const struct {
    mjtNum second[3], third[3];
    int ncon;
    const char* marks;
  } pose[] = {
      {{0, 0, .3}, {.6, .6, 0}, 0, "000000000"},
      {{.47, .07, .05}, {.6, .5, 0}, 0, "101001101"},
      {{.3, .25, .12}, {3, 0, 0}, 2, "101111010"},
      {{.38, .38, 0}, {.2, -.15, .1}, 2, "101111011"},
      {{.5, .5, .5}, {-.5, -.5, -.5}, 0, "000000000"},
      {{5, 0, 0}, {0, 5, 0}, 0, "000000000"},
      {{.42, 0, 0}, {0, .2, .1}, 0, "101001000"},
      {{0, 0, .16}, {.3, .1, .2}, 1, "101011001"},
  };
  CF_EQ_INT(s.m->nbvh, 9);
  for (size_t k = 0; k < sizeof(pose) / sizeof(pose[0]); k++) {
    mju_copy3(s.d->qpos + 7, pose[k].second);
    mju_copy3(s.d->qpos + 14, pose[k].third);
    mj_fwdPosition(s.m, s.d);
    CF_EQ_INT(s.d->ncon, pose[k].ncon);
    for (int node = 0; node < s.m->nbvh; node++) {
      CF_EQ_INT(s.d->bvh_active[node], pose[k].marks[node] - '0');
    }
  }
  cf_freeScene(s);
}


CF_TEST(trees__plane_beside_a_box__contacts_and_marks_as_recorded) {
  cfScene s = cf_sceneFromText(
      "<mujoco><worldbody><geom type=\"plane\" size=\"1 1 1\"/>"
      "<geom type=\"box\" size=\".1 .1 .2\" pos=\"3 0 .2\"/>"
      "<body><freejoint/><geom size=\".1\" pos=\"-.3 0 0\"/><geom size=\".1\" pos=\".3 0 0\"/></body>"
      "</worldbody></mujoco>");
  static const struct {
    mjtNum height, tilt;
    int ncon;
    const char* marks;
  } pose[] = {
      {1, 0, 0, "000000"},   {.45, 0, 0, "100100"}, {.2, 0, 0, "100100"},
      {.35, 1, 1, "110101"}, {.05, 0, 2, "110111"},
  };
  CF_EQ_INT(s.m->nbvh, 6);
  for (size_t k = 0; k < sizeof(pose) / sizeof(pose[0]); k++) {
    const mjtNum qpos[7] = {0, 0, pose[k].height, 1, 0, pose[k].tilt, 0};
    mju_copy(s.d->qpos, qpos, 7);
    mj_fwdPosition(s.m, s.d);
    CF_EQ_INT(s.d->ncon, pose[k].ncon);
    for (int node = 0; node < s.m->nbvh; node++) {
      CF_EQ_INT(s.d->bvh_active[node], pose[k].marks[node] - '0');
    }
  }
  cf_freeScene(s);
}


// three planes in front of the balls and two, in a body of their own, behind them
CF_TEST(trees__several_planes_and_single_geoms__pairs_and_marks_of_what_touches) {
  const cfScene s = cf_sceneFromText(
      "<mujoco><worldbody><geom type='plane' size='1 1 1'/>"
      "<geom type='plane' size='1 1 1' zaxis='1 0 0'/>"
      "<geom type='plane' size='1 1 1' zaxis='0 1 0'/>"
      "<body pos='.05 .05 .05'><freejoint/><geom size='.1'/></body>"
      "<body pos='.5 2 .05'><freejoint/><geom size='.1'/></body>"
      "<body pos='3 3 3'><freejoint/><geom size='.1'/></body>"
      "<body><geom type='plane' size='1 1 1' pos='4 0 0' zaxis='-1 0 0'/>"
      "<geom type='plane' size='1 1 1' pos='0 2.05 0' zaxis='0 -1 0'/></body>"
      "</worldbody></mujoco>");
  const int pairs[][2] = {{0, 3}, {1, 3}, {2, 3}, {0, 4}, {7, 4}, {7, 5}};
  expectPairs(s.d, 6, pairs);

  // boxes without end are met by everybody, leaves by those that touch them
  const int marks[5] = {1, 1, 1, 0, 1};
  for (int node = 0; node < s.m->nbvh; node++) {
    const int geom = s.m->bvh_nodeid[node];
    const bool is_ball = geom >= 3 && geom <= 5;
    CF_EQ_INT(s.d->bvh_active[node], geom < 0 || is_ball ? 1 : marks[geom < 3 ? geom : geom - 3]);
  }
  cf_freeScene(s);
}


// two boxes with ends beside a plane: a ball on the plane does not come to the boxes
CF_TEST(trees__boxes_beside_a_plane_and_a_single_geom__boxes_are_not_marked) {
  const cfScene s = cf_sceneFromText(
      "<mujoco><worldbody><geom type='plane' size='1 1 1'/>"
      "<geom type='box' size='.1 .1 .1' pos='5 0 0'/>"
      "<geom type='box' size='.1 .1 .1' pos='5.5 0 0'/>"
      "<body pos='0 0 .05'><freejoint/><geom size='.1'/></body></worldbody></mujoco>");
  const int pairs[][2] = {{0, 3}};
  int inner = 0, marked = 0;
  expectPairs(s.d, 1, pairs);
  for (int node = 0; node < s.m->nbvh; node++) {
    inner += s.m->bvh_nodeid[node] < 0;
    marked += s.m->bvh_nodeid[node] < 0 && s.d->bvh_active[node];
  }
  CF_EQ_INT(inner, 2);
  CF_EQ_INT(marked, 1);
  cf_freeScene(s);
}


CF_TEST(contacts__several_geoms__ascending_geoms_within_a_pair_of_bodies) {
  cfScene s = cf_sceneFromText(heapText());
  for (int k = 1; k < s.d->ncon; k++) {
    const int *a = s.d->contact[k - 1].geom, *b = s.d->contact[k].geom;
    const int* body = s.m->geom_bodyid;
    const int a1 = mju_min(body[a[0]], body[a[1]]), a2 = mju_max(body[a[0]], body[a[1]]);
    const int b1 = mju_min(body[b[0]], body[b[1]]), b2 = mju_max(body[b[0]], body[b[1]]);
    CF_TRUE(a1 < b1 || (a1 == b1 && a2 <= b2));
    if (a1 == b1 && a2 == b2) {
      CF_TRUE(a[0] < b[0] || (a[0] == b[0] && a[1] <= b[1]));
    }
  }
  cf_freeScene(s);
}


CF_TEST(bvh_active__touching_leaves__marked_only_when_asked) {
  cfScene s = cf_sceneFromText(heapText());
  int active = 0;
  for (int k = 0; k < s.m->nbvh; k++) {
    active += s.d->bvh_active[k];
  }
  CF_TRUE(active > 0);
  memset(s.d->bvh_active, 0, (size_t)s.m->nbvh);
  s.m->vis.global.bvactive = 0;
  mj_collision(s.m, s.d);
  for (int k = 0; k < s.m->nbvh; k++) {
    CF_EQ_INT(s.d->bvh_active[k], 0);
  }
  cf_freeScene(s);
}


static int filter_calls;

static int refuseFirst(const mjModel* m, mjData* d, int g1, int g2) {
  (void)m, (void)d, (void)g2;
  filter_calls++;
  return g1 == 0;
}


CF_TEST(contact_filter__user_callback__replaces_the_masks) {
  cfScene s = chainScene("");
  filter_calls = 0;
  mjcb_contactfilter = refuseFirst;
  mj_collision(s.m, s.d);
  mjcb_contactfilter = NULL;
  CF_TRUE(filter_calls >= 3);
  expectPairs(s.d, 2, (const int[][2]){{1, 2}, {2, 3}});
  cf_freeScene(s);
}


static int fixedContact(const mjModel* m, const mjData* d, mjContact* con, int g1, int g2,
                        mjtNum margin) {
  (void)m, (void)d, (void)g1, (void)g2, (void)margin;
  memset(con, 0, sizeof(*con));
  con->dist = -0.5;
  con->frame[2] = 1;
  return 1;
}


CF_TEST(collider_table__entry_replaced__the_user_function_is_called) {
  cfScene s = chainScene("");
  const mjfCollision before = mjCOLLISIONFUNC[mjGEOM_SPHERE][mjGEOM_SPHERE];
  mjCOLLISIONFUNC[mjGEOM_SPHERE][mjGEOM_SPHERE] = fixedContact;
  mj_collision(s.m, s.d);
  CF_EQ_INT(s.d->ncon, 3);
  CF_NEAR(s.d->contact[1].dist, -0.5, 0);

  // no entry, no contacts
  mjCOLLISIONFUNC[mjGEOM_SPHERE][mjGEOM_SPHERE] = NULL;
  mj_collision(s.m, s.d);
  CF_EQ_INT(s.d->ncon, 0);
  mjCOLLISIONFUNC[mjGEOM_SPHERE][mjGEOM_SPHERE] = before;
  cf_freeScene(s);
}


static int tooManyContacts(const mjModel* m, const mjData* d, mjContact* con, int g1, int g2,
                           mjtNum margin) {
  fixedContact(m, d, con, g1, g2, margin);
  return mjMAXCONPAIR + 1;
}


CF_TEST(collider__too_many_contacts__error) {
  cfScene s = chainScene("");
  const mjfCollision before = mjCOLLISIONFUNC[mjGEOM_SPHERE][mjGEOM_SPHERE];
  mjCOLLISIONFUNC[mjGEOM_SPHERE][mjGEOM_SPHERE] = tooManyContacts;
  CF_RAISES(mj_collision(s.m, s.d), "limit");
  mjCOLLISIONFUNC[mjGEOM_SPHERE][mjGEOM_SPHERE] = before;
  cf_freeScene(s);
}


CF_TEST(arena__too_small_for_contacts__warning_and_consistent_data) {
  cfScene s = chainScene("");
  for (mjtSize bytes = 0; bytes < 120000; bytes += 4000) {
    cf_guardClear();
    mj_resetData(s.m, s.d);
    mj_kinematics(s.m, s.d);
    mj_comPos(s.m, s.d);
    const mjtSize whole = s.d->narena;
    s.d->narena = 20000 + bytes;
    mj_collision(s.m, s.d);
    CF_TRUE(s.d->ncon <= 3);
    CF_TRUE(s.d->parena == (size_t)s.d->ncon * sizeof(mjContact));
    CF_EQ_INT(s.d->warning[mjWARN_CONTACTFULL].number > 0, s.d->ncon < 3);
    s.d->narena = whole;
  }
  mju_user_warning = NULL;
  cf_freeScene(s);
}


CF_TEST(sleep__both_asleep_or_static__no_contacts) {
  cfScene s = chainScene("<option><flag sleep=\"enable\"/></option>");
  CF_EQ_INT(s.d->ncon, 3);

  // put the first three to sleep by hand
  for (int b = 1; b <= 3; b++) {
    s.d->body_awake[b] = mjS_ASLEEP;
  }
  s.d->nbody_awake = 2;
  mj_collision(s.m, s.d);
  expectPairs(s.d, 1, (const int[][2]){{2, 3}});
  s.d->body_awake[4] = mjS_ASLEEP;
  s.d->nbody_awake = 1;
  mj_collision(s.m, s.d);
  CF_EQ_INT(s.d->ncon, 0);
  cf_freeScene(s);
}


CF_TEST(mj_addContact__after_the_stage__appended) {
  cfScene s = chainScene("");
  mjContact extra = s.d->contact[0];
  extra.dist = -7;
  CF_EQ_INT(mj_addContact(s.m, s.d, &extra), 0);
  CF_EQ_INT(s.d->ncon, 4);
  CF_NEAR(s.d->contact[3].dist, -7, 0);
  cf_freeScene(s);
}


static int warnings_heard;

static void hearWarning(const char* text) {
  warnings_heard += strstr(text, "SDF") != NULL;
}


CF_TEST(collision__height_field_and_distance_field__told_to_the_handler_alone) {
  cfScene s = cf_sceneFromText(
      "<mujoco><asset><hfield name=\"h\" nrow=\"2\" ncol=\"2\" size=\"1 1 .1 .1\"/>"
      "<mesh name=\"m\" vertex=\"0 0 0 .2 0 0 0 .3 0 0 0 .1 .2 .2 .2\"/></asset><worldbody>"
      "<geom type=\"hfield\" hfield=\"h\"/><body><freejoint/><geom type=\"sdf\" mesh=\"m\"/></body>"
      "</worldbody></mujoco>");
  void (*before)(const char*) = mju_user_warning;
  mju_user_warning = hearWarning;
  mj_collision(s.m, s.d);
  mju_user_warning = before;
  CF_EQ_INT(s.d->ncon, 0);
  CF_EQ_INT(warnings_heard, 1);
  for (int k = 0; k < mjNWARNING; k++) {
    CF_EQ_INT(s.d->warning[k].number, 0);
  }
  cf_freeScene(s);
}


CF_TEST_MAIN("collision/driver")
