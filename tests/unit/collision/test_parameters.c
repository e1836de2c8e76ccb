// How contact parameters combine: friction, priority, solmix, margin and gap, pairs, overrides.
#include "collidetest.h"
#include "collision/broad/broad.h"

// a ball over a plane with given attributes; height is the distance between the surfaces
static cfScene ballOverPlane(const char* plane, const char* ball, double height,
                             const char* extra) {
  char text[3000];
  snprintf(text, sizeof(text),
           "<mujoco>%s<worldbody><geom name=\"floor\" type=\"plane\" size=\"1 1 1\" %s/><body "
           "pos=\"0 0 %.17g\">"
           "<freejoint/><geom name=\"ball\" size=\"0.1\" %s/></body></worldbody></mujoco>",
           extra, plane, 0.1 + height, ball);
  return cf_sceneFromText(text);
}


CF_TEST(friction__equal_priority__element_wise_maximum) {
  cfScene s =
      ballOverPlane("friction=\"0.3 0.02 0.001\"", "friction=\"0.7 0.01 0.002\"", -0.001, "");
  CF_EQ_INT(s.d->ncon, 1);
  const mjtNum expected[5] = {0.7, 0.7, 0.02, 0.002, 0.002};
  CF_NEAR_ARRAY(s.d->contact->friction, expected, 5, 0);
  cf_freeScene(s);
}


CF_TEST(priority__different__the_higher_side_is_taken_verbatim) {
  cfScene s =
      ballOverPlane("priority=\"1\" friction=\"0.3 0.02 0.001\" solref=\"0.05 0.7\" condim=\"1\"",
                    "friction=\"0.7 0.01 0.002\" solref=\"0.01 1\" condim=\"6\"", -0.001, "");
  const mjContact* c = s.d->contact;
  CF_EQ_INT(s.d->ncon, 1);
  CF_EQ_INT(c->dim, 1);
  CF_NEAR(c->friction[0], 0.3, 0);
  CF_NEAR(c->solref[0], 0.05, 0);
  CF_NEAR(c->solref[1], 0.7, 0);
  cf_freeScene(s);
}


CF_TEST(condim__equal_priority__maximum) {
  cfScene s = ballOverPlane("condim=\"1\"", "condim=\"4\"", -0.001, "");
  CF_EQ_INT(s.d->contact->dim, 4);
  cf_freeScene(s);
}


CF_TEST(solmix__two_to_one__two_thirds_of_the_first) {
  cfScene s =
      ballOverPlane("solmix=\"2\" solref=\"0.06 1\"", "solmix=\"1\" solref=\"0.03 1\"", -0.001, "");
  CF_NEAR(s.d->contact->solref[0], 0.06 * 2 / 3 + 0.03 / 3, 1e-16);
  cf_freeScene(s);
}


CF_TEST(solmix__zero__no_weight_and_no_nan) {
  cfScene s = ballOverPlane("solmix=\"0\" solref=\"0.06 1\"", "solref=\"0.03 1\"", -0.001, "");
  CF_NEAR(s.d->contact->solref[0], 0.03, 0);
  cf_freeScene(s);
  s = ballOverPlane("solmix=\"0\" solref=\"0.06 1\"", "solmix=\"0\" solref=\"0.03 1\"", -0.001, "");
  CF_NEAR(s.d->contact->solref[0], 0.045, 1e-16);
  cf_freeScene(s);
}


CF_TEST(solref__direct_form_on_one_side__element_wise_minimum) {
  cfScene s = ballOverPlane("solref=\"-300 -20\"", "solref=\"0.02 1\"", -0.001, "");
  CF_NEAR(s.d->contact->solref[0], -300, 0);
  CF_NEAR(s.d->contact->solref[1], -20, 0);
  cf_freeScene(s);
  s = ballOverPlane("solref=\"-300 -40\"", "solref=\"-500 -20\"", -0.001, "");
  CF_NEAR(s.d->contact->solref[0], -500, 0);
  CF_NEAR(s.d->contact->solref[1], -40, 0);
  cf_freeScene(s);
}


CF_TEST(margin__sum_of_both__contact_before_touch) {
  cfScene s = ballOverPlane("margin=\"0.002\"", "margin=\"0.002\"", 0.001, "");
  CF_EQ_INT(s.d->ncon, 1);
  CF_NEAR(s.d->contact->dist, 0.001, 1e-15);
  CF_NEAR(s.d->contact->includemargin, 0.004, 1e-18);
  CF_EQ_INT(s.d->contact->exclude, 0);
  cf_freeScene(s);
  s = ballOverPlane("margin=\"0.002\"", "margin=\"0.002\"", 0.005, "");
  CF_EQ_INT(s.d->ncon, 0);
  cf_freeScene(s);
}


CF_TEST(gap__inside__contact_without_force) {
  cfScene s = ballOverPlane("margin=\"0.004\" gap=\"0.003\"", "", 0.002, "");
  CF_EQ_INT(s.d->ncon, 1);
  CF_NEAR(s.d->contact->includemargin, 0.001, 1e-17);
  CF_EQ_INT(s.d->contact->exclude, 1);
  cf_freeScene(s);
  s = ballOverPlane("margin=\"0.004\" gap=\"0.003\"", "", 0.0005, "");
  CF_EQ_INT(s.d->contact->exclude, 0);
  cf_freeScene(s);
}


CF_TEST(pair__own_margin_and_parameters__geoms_are_ignored) {
  cfScene s = ballOverPlane(
      "margin=\"1\" friction=\"0.3 0.02 0.001\" priority=\"5\"", "solmix=\"7\"", 0.003,
      "<contact><pair geom1=\"floor\" geom2=\"ball\" margin=\"0.01\" gap=\"0.005\" condim=\"6\" "
      "friction=\"0.5 0.6 0.7 0.8 0.9\" solref=\"0.04 2\" solreffriction=\"0.1 1\"/></contact>");
  const mjContact* c = s.d->contact;
  CF_EQ_INT(s.d->ncon, 1);
  CF_EQ_INT(c->dim, 6);
  CF_NEAR(c->includemargin, 0.005, 1e-18);
  const mjtNum friction[5] = {0.5, 0.6, 0.7, 0.8, 0.9}, solref[2] = {0.04, 2},
               rolling[2] = {0.1, 1};
  CF_NEAR_ARRAY(c->friction, friction, 5, 0);
  CF_NEAR_ARRAY(c->solref, solref, 2, 0);
  CF_NEAR_ARRAY(c->solreffriction, rolling, 2, 0);
  cf_freeScene(s);
}


static const char* const override_option =
    "<option o_margin=\"0.01\" o_solref=\"0.1 1\" o_solimp=\"0.8 0.9 0.01 0.5 2\" "
    "o_friction=\"0.5 0.5 0.01 0.001 0.001\"><flag override=\"enable\"/></option>";


CF_TEST(AC34__override_enabled__parameters_replaced_but_gap_and_condim) {
  cfScene s = ballOverPlane("gap=\"0.002\" margin=\"0.1\" condim=\"4\"", "friction=\"2 1 1\"",
                            0.005, override_option);
  const mjContact* c = s.d->contact;
  CF_EQ_INT(s.d->ncon, 1);
  CF_EQ_INT(c->dim, 4);
  CF_NEAR(c->includemargin, 0.008, 1e-17);
  const mjtNum friction[5] = {0.5, 0.5, 0.01, 0.001, 0.001}, solref[2] = {0.1, 1};
  const mjtNum solimp[5] = {0.8, 0.9, 0.01, 0.5, 2};
  CF_NEAR_ARRAY(c->friction, friction, 5, 0);
  CF_NEAR_ARRAY(c->solref, solref, 2, 0);
  CF_NEAR_ARRAY(c->solimp, solimp, 5, 0);

  // the reference of the friction rows is that of the override too, also over a pair's own
  CF_NEAR_ARRAY(c->solreffriction, solref, 2, 0);
  cf_freeScene(s);

  char options[1000];
  snprintf(
      options, sizeof(options),
      "%s<contact><pair geom1=\"floor\" geom2=\"ball\" gap=\"0.002\" margin=\"0.1\" "
      "condim=\"6\" solref=\"0.04 2\" solreffriction=\"0.3 1\" friction=\"2 2 1 1 1\"/></contact>",
      override_option);
  s = ballOverPlane("", "", 0.005, options);
  c = s.d->contact;
  CF_EQ_INT(s.d->ncon, 1);
  CF_EQ_INT(c->dim, 6);
  CF_NEAR(c->includemargin, 0.008, 1e-17);
  CF_NEAR_ARRAY(c->friction, friction, 5, 0);
  CF_NEAR_ARRAY(c->solref, solref, 2, 0);
  CF_NEAR_ARRAY(c->solreffriction, solref, 2, 0);
  CF_NEAR_ARRAY(c->solimp, solimp, 5, 0);
  cf_freeScene(s);
}


// half of the widths of a ball's box in the broad phase: its radius and the margin that counts
// there
static void expectReach(const cfScene* s, mjtNum reach) {
  mj_markStack(s->d);
  cfMoverTable t = cfi_listMovers(s->m, s->d);
  CF_EQ_INT(t.n, 2);
  CF_TRUE(cfi_boundMovers(&t, s->m, s->d));
  for (int i = 0; i < t.n; i++) {
    for (int k = 0; k < 3; k++) {
      CF_NEAR(t.box[i].high[k] - t.box[i].low[k], 2 * reach, 1e-14);
    }
  }
  mj_freeStack(s->d);
}


static int broadPairs(const cfScene* s) {
  mj_markStack(s->d);
  const int n = cfi_broadphase(s->m, s->d).n;
  mj_freeStack(s->d);
  return n;
}


// balls of radius 0.1 and margin 0.1, 0.03 apart: their own margins let the broad phase see the
// pair, the override's margin of 0.02, half of it on either side, does not
CF_TEST(AC35__override_enabled__broad_phase_uses_half_of_the_margin) {
  const char* text =
      "<mujoco><option o_margin=\"%s\"><flag override=\"%s\"/></option><worldbody><body><freejoint/>"
      "<geom size=\"0.1\" margin=\"0.1\"/></body><body pos=\"0.23 0 0\"><freejoint/><geom size=\"0.1\" "
      "margin=\"0.1\"/></body></worldbody></mujoco>";
  static const struct {
    const char *margin, *override;
    mjtNum reach;
    int pairs;
  } cases[3] = {
      {"0.02", "disable", 0.2, 1}, {"0.02", "enable", 0.11, 0}, {"0.04", "enable", 0.12, 1}};
  for (int k = 0; k < 3; k++) {
    char model[1000];
    snprintf(model, sizeof(model), text, cases[k].margin, cases[k].override);
    cfScene s = cf_sceneFromText(model);
    expectReach(&s, cases[k].reach);
    CF_EQ_INT(broadPairs(&s), cases[k].pairs);
    CF_EQ_INT(s.d->ncon, cases[k].pairs);
    cf_freeScene(s);
  }
}


// the same for a flex: the box of a rope of one edge, 0.2 long, whose vertices have a radius of
// 0.05
CF_TEST(AC35__override_enabled__box_of_a_flex_uses_half_of_the_margin) {
  const char* text =
      "<mujoco><option o_margin=\"0.02\"><flag override=\"%s\"/></option><worldbody><flexcomp name=\"f\" "
      "type=\"grid\" count=\"2 1 1\" spacing=\"0.2 0.2 0.2\" dim=\"1\" radius=\"0.05\" mass=\"1\"><contact margin=\"0.1\" "
      "selfcollide=\"none\"/></flexcomp><geom type=\"sphere\" size=\"0.1\" pos=\"0 0 0.23\"/></worldbody></mujoco>";
  const mjtNum reach[2] = {0.05 + 0.1, 0.05 + 0.01};
  for (int k = 0; k < 2; k++) {
    char model[1000];
    snprintf(model, sizeof(model), text, k ? "enable" : "disable");
    cfScene s = cf_sceneFromText(model);
    mj_forward(s.m, s.d);
    mj_markStack(s.d);
    cfMoverTable t = cfi_listMovers(s.m, s.d);
    CF_TRUE(cfi_boundMovers(&t, s.m, s.d));
    int flexes = 0;
    for (int i = 0; i < t.n; i++) {
      mjtNum length = 0, widths = 0;
      for (int axis = 0; axis < 3; axis++) {
        const mjtNum extent = t.box[i].high[axis] - t.box[i].low[axis];
        length = mju_max(length, extent);
        widths += extent;
      }
      flexes +=
          fabs(length - (0.2 + 2 * reach[k])) < 1e-9 && fabs(widths - (0.2 + 6 * reach[k])) < 1e-9;
    }
    CF_EQ_INT(flexes, 1);
    mj_freeStack(s.d);

    // surfaces 0.08 apart: within the margin of the flex, beyond the override's
    CF_EQ_INT(s.d->ncon > 0, k == 0);
    cf_freeScene(s);
  }
}


CF_TEST(AC36__override_friction_of_zero__floor_of_mjMINMU) {
  cfScene s = ballOverPlane(
      "", "", -0.001, "<option o_friction=\"0 0 0 0 0\"><flag override=\"enable\"/></option>");
  for (int k = 0; k < 5; k++) {
    CF_NEAR(s.d->contact->friction[k], 1e-5, 0);
  }
  cf_freeScene(s);
}


CF_TEST(AC37__override_disabled__options_have_no_effect) {
  cfScene s =
      ballOverPlane("friction=\"0.3 0.02 0.001\"", "friction=\"0.2 0.01 0.001\"", -0.001,
                    "<option o_margin=\"0.01\" o_solref=\"0.1 1\" o_friction=\"9 9 9 9 9\"/>");
  CF_NEAR(s.d->contact->friction[0], 0.3, 0);
  CF_NEAR(s.d->contact->solref[0], 0.02, 0);
  CF_NEAR(s.d->contact->includemargin, 0, 0);
  cf_freeScene(s);
}


CF_TEST(frame__any_contact__orthonormal_with_the_normal_first) {
  cfScene s = ballOverPlane("euler=\"20 30 0\"", "", -0.05, "");
  CF_EQ_INT(s.d->ncon, 1);
  const mjtNum* f = s.d->contact->frame;
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      CF_NEAR(mju_dot3(f + 3 * i, f + 3 * j), i == j, 1e-14);
    }
  }
  mjtNum cross[3];
  mju_cross(cross, f, f + 3);
  CF_NEAR_ARRAY(cross, f + 6, 3, 1e-14);
  cf_freeScene(s);
}


CF_TEST_MAIN("collision/parameters")
