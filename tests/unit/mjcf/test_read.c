// MJCF into a specification.
#include <math.h>

#include <mujoco/mujoco.h>

#include "cf_test.h"

static mjSpec* parse(const char* xml) {
  char error[2000] = "";
  mjSpec* spec = mj_parseXMLString(xml, NULL, error, sizeof(error));
  if (!spec) {
    CF_FAIL("%s\n", error);
  }
  return spec;
}

CF_TEST(read__classes__nested_and_inherited) {
  mjSpec* s = parse(
      "<mujoco><default><geom size='.1' rgba='1 0 0 1'/>"
      "<default class='a'><geom size='.2'/><default class='b'><geom group='3'/></default></default>"
      "</default><worldbody><geom name='w'/>"
      "<body childclass='a'><geom name='x'/><geom name='y' class='b'/>"
      "<frame childclass='b'><geom name='z'/></frame><body><geom name='deep'/></body></body>"
      "</worldbody></mujoco>");
  const struct {
    const char* name;
    double size;
    int group;
  } cases[] = {{"w", .1, 0}, {"x", .2, 0}, {"y", .2, 3}, {"z", .2, 3}, {"deep", .2, 0}};
  for (size_t i = 0; i < 5; i++) {
    mjsGeom* geom = mjs_asGeom(mjs_findElement(s, mjOBJ_GEOM, cases[i].name));
    CF_NEAR(geom->size[0], cases[i].size, 0);
    CF_EQ_INT(geom->group, cases[i].group);
    CF_NEAR(geom->rgba[1], 0, 0);
  }
  mj_deleteSpec(s);
}

CF_TEST(read__ids__depth_first) {
  mjSpec* s = parse(
      "<mujoco><worldbody><body name='a'><geom name='g2' size='1'/><body name='b'>"
      "<geom name='g3' size='1'/></body></body>"
      "<geom name='g1' size='1'/><body name='c'><geom name='g4' size='1'/></body>"
      "</worldbody></mujoco>");
  const char* bodies[] = {"world", "a", "b", "c"};
  const char* geoms[] = {"g1", "g2", "g3", "g4"};
  for (int i = 0; i < 4; i++) {
    CF_EQ_INT(mjs_getId(mjs_findElement(s, mjOBJ_BODY, bodies[i])), i);
    CF_EQ_INT(mjs_getId(mjs_findElement(s, mjOBJ_GEOM, geoms[i])), i);
  }
  int count = 0;
  for (mjsElement* e = mjs_firstElement(s, mjOBJ_GEOM); e; e = mjs_nextElement(s, e)) {
    CF_EQ_STR(mjs_getString(mjs_getName(e)), geoms[count++]);
  }
  CF_EQ_INT(count, 4);
  mj_deleteSpec(s);
}

CF_TEST(read__replicate__names_places_and_references) {
  mjSpec* s = parse(
      "<mujoco><worldbody><replicate count='12' offset='0 0 1' sep='-'>"
      "<body name='b'><joint name='j'/><geom size='1'/><site "
      "name='s'/></body></replicate></worldbody>"
      "<actuator><motor name='m' joint='j'/></actuator><sensor><touch "
      "site='s'/></sensor></mujoco>");
  CF_TRUE(mjs_findBody(s, "b") == NULL);
  CF_TRUE(mjs_findBody(s, "b-00") != NULL && mjs_findBody(s, "b-11") != NULL);
  int actuators = 0, sensors = 0;
  for (mjsElement* e = mjs_firstElement(s, mjOBJ_ACTUATOR); e; e = mjs_nextElement(s, e)) {
    char name[16];
    snprintf(name, sizeof(name), "j-%02d", actuators++);
    CF_EQ_STR(mjs_getString(mjs_asActuator(e)->target), name);
  }
  for (mjsElement* e = mjs_firstElement(s, mjOBJ_SENSOR); e; e = mjs_nextElement(s, e)) {
    sensors++;
  }
  CF_EQ_INT(actuators, 12);
  CF_EQ_INT(sensors, 12);
  mjsFrame* frame = mjs_getFrame(mjs_findBody(s, "b-03")->element);
  CF_NEAR(frame->pos[2], 3, 1e-15);
  mj_deleteSpec(s);
}

CF_TEST(read__passive_flag__alias_of_spring_and_damper_with_a_warning) {
  mjSpec* s = parse("<mujoco><option><flag passive='disable' damper='enable'/></option></mujoco>");
  CF_EQ_INT(s->option.disableflags, mjDSBL_SPRING);
  CF_TRUE(mjs_isWarning(s));
  CF_HAS_STR(mjs_getError(s), "passive");
  mj_deleteSpec(s);
}

CF_TEST(read__exactmeshinertia__alias_of_the_mesh_default_with_a_warning) {
  mjSpec* s = parse("<mujoco><compiler exactmeshinertia='true'/></mujoco>");
  CF_EQ_INT(mjs_getSpecDefault(s)->mesh->inertia, mjMESH_INERTIA_EXACT);
  CF_TRUE(mjs_isWarning(s));
  mj_deleteSpec(s);
}

CF_TEST(read__unknown_attribute_inside_a_frame__only_warned_about) {
  mjSpec* s =
      parse("<mujoco><worldbody><frame><geom size='1' sise='2'/></frame></worldbody></mujoco>");
  CF_TRUE(mjs_isWarning(s));
  CF_HAS_STR(mjs_getError(s), "did you mean 'size'");
  mj_deleteSpec(s);
}

CF_TEST(read__old_encodings_and_leading_blanks__accepted) {
  mj_deleteSpec(parse("\n\n <?xml version='1.0' encoding='gb2312'?><mujoco model='x'/>"));
  mjSpec* s = parse("<mujoco model='caf\xe9'/>");
  CF_EQ_STR(mjs_getString(s->modelname), "caf\xe9");
  mj_deleteSpec(s);
}

CF_TEST(read__sizes_with_suffix__bytes) {
  mjSpec* s = parse("<mujoco><size memory=' 3K '/></mujoco>");
  CF_EQ_INT(s->memory, 3072);
  mj_deleteSpec(s);
  s = parse("<mujoco><size memory='-1'/></mujoco>");
  CF_EQ_INT(s->memory, -1);
  mj_deleteSpec(s);
}

// line ends and tabs in texts and names stay; in lists of numbers they separate
CF_TEST(read__white_space_in_values__kept_where_it_means_something) {
  mjSpec* s = parse(
      "<mujoco><custom><text name='a' data='1\n2\t3\r\n4'/><text\n name='b\tc' data='&lt;\tx &amp;\ty&#228;\tz'/>"
      "<numeric name='n' data='1\n2\t3'/></custom></mujoco>");
  mjsText* first = mjs_asText(mjs_firstElement(s, mjOBJ_TEXT));
  CF_EQ_STR(mjs_getString(first->data), "1\n2\t3\n4");
  mjsText* second = mjs_asText(mjs_nextElement(s, first->element));
  CF_EQ_STR(mjs_getString(mjs_getName(second->element)), "b\tc");
  CF_EQ_STR(mjs_getString(second->data), "<\tx &\ty\xC3\xA4\tz");
  mjModel* m = mj_compile(s, NULL);
  CF_EQ_INT(m->nnumericdata, 3);
  mj_deleteModel(m);
  mj_deleteSpec(s);
}

// an orientation without a number is as if it were not there, beside a full inertia too
CF_TEST(read__empty_orientation__none) {
  static const char* const empty[] = {"zaxis=''", "axisangle=''", "euler=''", "xyaxes=' '"};
  for (int k = 0; k < 4; k++) {
    char text[400], error[500] = "";
    snprintf(
        text, sizeof(text),
        "<mujoco><worldbody><body><inertial pos='0 0 0' mass='1' fullinertia='2 2 3 0 0 0' %s/>"
        "</body></worldbody></mujoco>",
        empty[k]);
    mj_deleteSpec(parse(text));
    snprintf(text, sizeof(text),
             "<mujoco><worldbody><body><inertial pos='0 0 0' mass='1' fullinertia='2 2 3 0 0 0' %s"
             " euler='0 0 10'/></body></worldbody></mujoco>",
             k == 2 ? "" : empty[k]);
    CF_TRUE(mj_parseXMLString(text, NULL, error, sizeof(error)) == NULL);
    CF_HAS_STR(error, "fullinertia and inertial orientation cannot both be specified");
  }
}

CF_TEST_MAIN("mjcf/read")
