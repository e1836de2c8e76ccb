// The grammar has the elements and attributes of MuJoCo 3.5.0.
#include "mjcf/grammar.h"

#include <mujoco/mujoco.h>

#include <cortenforge/schema.h>

#include "cf_reference.h"
#include "cf_test.h"

CF_TEST(grammar__size__171_elements_and_1707_attributes) {
  int elements = 0, attributes = 0;
  for (int id = 0; id < TAG_COUNT; id++) {
    int count;
    const cfRow* row = cfi_rows(cfi_tags[id].fields, &count);
    elements += cfi_tags[id].times != TIMES_LOOSE;
    for (int i = 0; i < count && cfi_tags[id].times != TIMES_LOOSE; i++) {
      attributes += cfi_allows(&row[i], (cftTag)id) && !row[i].is_ours;
    }
  }
  CF_EQ_INT(elements, 171);
  CF_EQ_INT(attributes, 1707);
}

static bool isUsed(cftFields fields, const cfRow* row) {
  for (int id = 0; id < TAG_COUNT; id++) {
    if (cfi_tags[id].fields == fields && cfi_allows(row, (cftTag)id)) {
      return true;
    }
  }
  return false;
}

// a form fits the type of its field, and a row has what its form needs
static bool isConsistent(const cfRow* row) {
  bool has_words =
      row->how == HOW_KEY || row->how == HOW_KEYS || row->how == HOW_OFF || row->how == HOW_ON;
  if (has_words != (row->words != WORDS_NONE) || row->doc[0] == 0 || row->unit[0] == 0) {
    return false;
  }
  if (!row->is_read && !row->is_saved) {
    return true;
  }
  switch (row->how) {
    case HOW_EXACT:
    case HOW_UPTO:
      return row->type == TYPE_DOUBLE || row->type == TYPE_FLOAT || row->type == TYPE_INT;
    case HOW_QUAT:
      return row->type == TYPE_DOUBLE && row->size == 4 * sizeof(double);
    case HOW_ORIENT:
      return row->type == TYPE_DOUBLE && row->size >= 3 * sizeof(double);
    case HOW_KEY:
      return row->type != TYPE_OTHER && row->type != TYPE_FLOAT &&
             row->size == cfi_scalarSize(row->type);
    default:
      return row->type == TYPE_OTHER && row->size == sizeof(void*);
  }
}

CF_TEST(attributes__every_row__belongs_to_an_element_and_fits_its_field) {
  for (int fields = FIELDS_NONE + 1; fields < FIELDS_COUNT; fields++) {
    int count;
    const cfRow* row = cfi_rows((cftFields)fields, &count);
    CF_TRUE(count > 0);
    for (int i = 0; i < count; i++) {
      if (!isUsed((cftFields)fields, &row[i]) || !isConsistent(&row[i])) {
        fail_msg("attribute %s", row[i].name);
      }
    }
  }
}

CF_TEST(attributes__every_field__has_one_row_that_reads_it) {
  for (int fields = FIELDS_NONE + 1; fields < FIELDS_COUNT; fields++) {
    int count;
    const cfRow* row = cfi_rows((cftFields)fields, &count);
    for (int i = 0; i < count; i++) {
      for (int k = 0; k < i; k++) {
        if (row[i].size && row[k].size && row[i].offset == row[k].offset) {
          fail_msg("attributes %s and %s share a field", row[k].name, row[i].name);
        }
      }
    }
  }
}

CF_TEST(printSchema__text_and_html__same_as_reference) {
  CF_NEED_REFERENCE();
  enum { SIZE = 1 << 18 };
  static char ours[SIZE], theirs[SIZE];
  for (int kind = 0; kind < 3; kind++) {
    CF_EQ_INT(mj_printSchema(NULL, ours, SIZE, kind > 0, kind > 1),
              CF_REF(mj_printSchema)(NULL, theirs, SIZE, kind > 0, kind > 1));
    CF_EQ_STR(ours, theirs);
  }
}

// the description of one attribute
static cfSchemaAttribute described(const char* element, const char* name) {
  cfSchemaAttribute a;
  for (int i = 0; cf_schemaAttribute(i, &a); i++) {
    if (strcmp(a.element, element) == 0 && strcmp(a.name, name) == 0) {
      return a;
    }
  }
  CF_FAIL("no attribute %s of %s\n", name, element);
  return a;
}

static void expectAttribute(const char* element, const char* name, const char* type, int least,
                            int most, const char* words, const char* initial) {
  cfSchemaAttribute a = described(element, name);
  CF_EQ_STR(a.type, type);
  CF_EQ_INT(a.least, least);
  CF_EQ_INT(a.most, most);
  CF_EQ_STR(a.words, words);
  CF_EQ_STR(a.initial, initial);
}

CF_TEST(schemaAttribute__samples__form_words_and_default) {
  expectAttribute("tendon/fixed", "solreflimit", "number", 1, 2, "", "0.02 1");
  expectAttribute("default/joint", "type", "word", 1, 1, "free ball slide hinge", "hinge");
  expectAttribute("body/joint", "axis", "number", 3, 3, "", "0 0 1");
  expectAttribute("body/geom", "mass", "number", 1, 1, "", "");
  expectAttribute("body/geom", "euler", "number", 3, 3, "", "");
  expectAttribute("body/camera", "output", "words", 1, -1, "rgb depth distance normal segmentation",
                  "rgb");
  expectAttribute("option", "timestep", "number", 1, 1, "", "0.002");
  expectAttribute("option/flag", "gravity", "word", 1, 1, "disable enable", "enable");
  expectAttribute("option/flag", "sleep", "word", 1, 1, "disable enable", "disable");
  expectAttribute("compiler", "eulerseq", "text", 1, 1, "", "xyz");
  expectAttribute("statistic", "extent", "number", 1, 1, "", "");
  expectAttribute("visual/rgba", "haze", "number", 4, 4, "", "1 1 1 1");
  expectAttribute("actuator/muscle", "timeconst", "number", 1, 2, "", "");
  expectAttribute("sensor/clock", "cutoff", "number", 1, 1, "", "0");
}

CF_TEST(schemaAttribute__all__counted_and_described) {
  cfSchemaAttribute a;
  int count = 0, extensions = 0;
  for (; cf_schemaAttribute(count, &a); count++) {
    CF_TRUE(a.meaning[0] && a.unit[0] && a.type[0]);
    CF_TRUE(a.least >= 0 && (a.most == -1 || a.most >= a.least));
    extensions += a.is_extension;
  }
  CF_EQ_INT(count - extensions,
            1707 + 13);  // those of frames and replicates beside the printed ones
  CF_EQ_INT(cf_schemaAttribute(-1, &a), 0);
}

// every row that is saved has a place in the order of saving, and only those
CF_TEST(attributes__saved_rows__stand_in_the_order_of_saving_once) {
  for (int fields = FIELDS_NONE + 1; fields < FIELDS_COUNT; fields++) {
    int count;
    const cfRow* rows = cfi_rows((cftFields)fields, &count);
    for (int i = 0; i < count; i++) {
      int places = 0;
      const cfRow* row;
      for (int k = 0; (row = cfi_savedRow((cftFields)fields, k)) != NULL; k++) {
        places += row == &rows[i];
      }
      const bool is_saved = rows[i].is_saved || rows[i].write;
      if (is_saved ? places != 1 : places > 1) {
        fail_msg("attribute %s stands %d times in the order of saving", rows[i].name, places);
      }
    }
  }
}

CF_TEST_MAIN("mjcf/schema")
