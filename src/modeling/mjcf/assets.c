// Assets and deformable objects.
#include "mjcf/reader.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "spec/tree.h"

//---------------------------------- texture, height field, skin -----------------------------------

void cfi_readGridLayout(cfReader* r, const cfNode* node, const cfRow* row, const char* text,
                        void* target) {
  mjsTexture* texture = (mjsTexture*)target;
  const size_t length = strlen(text);
  if (length > row->size) {
    cfi_error(r->report, node, "gridlayout length cannot exceed 12 characters");
  } else if ((long)length != (long)texture->gridsize[0] * texture->gridsize[1]) {
    cfi_error(r->report, node, "gridlayout length must match gridsize");
  } else {
    memcpy(texture->gridlayout, text, length);
  }
}

static void readTexture(cfReader* r, const cfNode* node) {
  static const char* const sides[6] = {"fileright", "fileleft",  "fileup",
                                       "filedown",  "filefront", "fileback"};
  mjsTexture* texture = mjs_addTexture(r->spec);
  cfi_readName(r, node, texture->element);
  cfi_readFields(r, node, texture);
  cfi_readFileName(r, node, texture->file, cfi_textureFolder(r));
  for (int i = 0; i < 6; i++) {
    const char* side = cfi_attribute(node, sides[i]);
    if (side) {
      mjs_setInStringVec(texture->cubefiles, i,
                         cfi_resolveFile(r, node, side, cfi_textureFolder(r)));
    }
  }
}

// elevations in the text run from top to bottom, in memory from bottom to top
static void readElevation(cfReader* r, const cfNode* node, mjsHField* hfield) {
  const size_t nrow = (size_t)hfield->nrow, ncol = (size_t)hfield->ncol;
  cfVec text = {NULL, NULL, NULL};
  int count = cfi_readVector(r, node, "elevation", &text, HOW_FLOATS);
  if (count && (size_t)count != nrow * ncol) {
    cfi_error(r->report, node, "elevation data length must match nrow*ncol: %d numbers for %d x %d",
              count, hfield->nrow, hfield->ncol);
  } else {
    cfi_assignVec((cfVec*)hfield->userdata, NULL, nrow * ncol, sizeof(float));
    for (size_t row = 0; count && row < nrow; row++) {
      memcpy(cfi_floats(hfield->userdata) + (nrow - 1 - row) * ncol, cfi_floats(&text) + row * ncol,
             ncol * sizeof(float));
    }
  }
  cfi_freeMember(&text, CF_MEMBER_FLOATVEC);
}

static void readHField(cfReader* r, const cfNode* node) {
  enum { MAX_CELLS = 1 << 26 };  // of all height fields whose size is given here
  mjsHField* hfield = mjs_addHField(r->spec);
  cfi_readName(r, node, hfield->element);
  cfi_requireNumbers(r, node, "size");
  cfi_readFields(r, node, hfield);
  const bool has_file = cfi_readFileName(r, node, hfield->file, cfi_assetFolder(r));
  if (!has_file && hfield->nrow > 0 && hfield->ncol > 0) {
    r->elevations += (double)hfield->nrow * hfield->ncol;
    if (r->elevations > MAX_CELLS) {
      cfi_error(
          r->report, node,
          "height field of %d x %d is too large: all together may have %d elevations, with it they have %.0f",
          hfield->nrow, hfield->ncol, MAX_CELLS, r->elevations);
      return;
    }
    readElevation(r, node, hfield);
  }
}

static void readBone(cfReader* r, const cfNode* node, mjsSkin* skin) {
  double pos[3] = {0, 0, 0}, quat[4] = {1, 0, 0, 0};
  const char* body = cfi_readText(r, node, "body", true);
  mjs_appendString(skin->bodyname, body ? body : "");
  if (cfi_requireNumbers(r, node, "bindpos")) {
    cfi_readNumbers(r, node, "bindpos", pos, 3, true);
  }
  if (cfi_requireNumbers(r, node, "bindquat")) {
    cfi_readNumbers(r, node, "bindquat", quat, 4, true);
  }
  float* bindpos = (float*)cfi_growVec((cfVec*)skin->bindpos, 3, sizeof(float));
  float* bindquat = (float*)cfi_growVec((cfVec*)skin->bindquat, 4, sizeof(float));
  for (int i = 0; i < 4; i++) {
    bindquat[i] = (float)quat[i];
    if (i < 3) {
      bindpos[i] = (float)pos[i];
    }
  }
  cfVec *ids = cfi_pushVec((cfVec*)skin->vertid, NULL, 0, sizeof(int)),
        *weights = cfi_pushVec((cfVec*)skin->vertweight, NULL, 0, sizeof(float));
  if (cfi_requireNumbers(r, node, "vertid")) {
    cfi_readVector(r, node, "vertid", ids, HOW_INTS);
  }
  if (cfi_requireNumbers(r, node, "vertweight")) {
    cfi_readVector(r, node, "vertweight", weights, HOW_FLOATS);
  }
}

static void readSkin(cfReader* r, const cfNode* node) {
  mjsSkin* skin = mjs_addSkin(r->spec);
  cfi_readName(r, node, skin->element);
  cfi_readFields(r, node, skin);
  cfi_readFileName(r, node, skin->file, cfi_assetFolder(r));
  if (skin->group < 0 || skin->group >= mjNGROUP) {
    cfi_error(r->report, node, "skin group must be between 0 and 5");
  }
  for (const cfNode* bone = cfi_firstChild(node, "bone"); bone;
       bone = cfi_nextSibling(bone, "bone")) {
    readBone(r, bone, skin);
  }
}

//---------------------------------- models --------------------------------------------------------

// another model, kept for attach
static void readModelAsset(cfReader* r, const cfNode* node) {
  char error[1024] = "";
  const char* file = cfi_readText(r, node, "file", true);
  const char* content_type = cfi_attribute(node, "content_type");
  if (!file) {
    return;
  }
  const char* name = cfi_resolveFile(r, node, file, "");
  const char* path = cfi_documentPath(r->doc, r->modeldir, name);
  mjSpec* child = mj_parse(path, content_type, r->vfs, error, sizeof(error));
  if (!child) {
    cfi_error(r->report, node, "could not parse model file with error: %s", error);
    return;
  }
  const char* modelname = cfi_attribute(node, "name");
  if (modelname) {
    mjs_setString(child->modelname, modelname);
  }
  cfi_keepSpec(cfi_spec(r->spec), cfi_spec(child));
  mj_deleteSpec(child);
}

static void readMaterialAsset(cfReader* r, const cfNode* node) {
  cfi_readElement(r, node, mjs_addMaterial(r->spec, cfi_readClass(r, node))->element);
}

static void readMeshAsset(cfReader* r, const cfNode* node) {
  cfi_readElement(r, node, mjs_addMesh(r->spec, cfi_readClass(r, node))->element);
}

void cfi_readAssets(cfReader* r, const cfNode* section) {
  static const cfChildReader readers[] = {
      {TAG_ASSET_TEXTURE, readTexture}, {TAG_ASSET_MATERIAL, readMaterialAsset},
      {TAG_ASSET_MESH, readMeshAsset},  {TAG_ASSET_SKIN, readSkin},
      {TAG_ASSET_HFIELD, readHField},   {TAG_ASSET_MODEL, readModelAsset}};
  cfi_readChildren(r, section, readers, 6);
}

//---------------------------------- deformables ---------------------------------------------------

// of <elasticity>
void cfi_readFlexModuli(cfReader* r, const cfNode* node, mjsElement* flex) {
  cfi_readWord(r, node, "moduli", WORDS_MODULI, &((cfElement*)flex)->part.flex.moduli);
}

void cfi_readFlexModels(cfReader* r, const cfNode* node, mjsElement* flex) {
  static const char* const names[2] = {"bending_model", "elasticity_model"};
  for (int k = 0; k < 2; k++) {
    const char* model = cfi_readText(r, node, names[k], false);
    if (model) {
      cfi_assignString(&((cfElement*)flex)->part.flex.model[k], model);
    }
  }
  cfi_readWord(r, node, "implicit_stiffness", WORDS_BOOL,
               &((cfElement*)flex)->part.flex.is_implicit);
  for (const cfNode* child = node->first; child; child = child->next) {
    if (child->tag_id == TAG_DEFORMABLE_FLEX_ELASTICITY ||
        child->tag_id == TAG_BODY_FLEXCOMP_ELASTICITY) {
      cfi_readFlexModuli(r, child, flex);
    }
  }
}

// where `passive` is given, MuJoCo 3.5.0 takes the value of the switch that it read before
static void readPassive(const cfNode* node, const cfNode* contact, mjsFlex* flex) {
  if (!cfi_attribute(contact, "passive")) {
    return;
  }
  if (cfi_attribute(contact, "internal")) {
    flex->passive = flex->internal;
  } else if (cfi_attribute(node, "flatskin")) {
    flex->passive = flex->flatskin;
  }
}

static void readFlex(cfReader* r, const cfNode* node) {
  mjsFlex* flex = mjs_addFlex(r->spec);
  cfi_readName(r, node, flex->element);
  cfi_readFlexModels(r, node, flex->element);
  cfi_require(r, node, "body");
  cfi_require(r, node, "element");
  cfi_readFields(r, node, flex);
  for (const cfNode* child = node->first; child; child = child->next) {
    if (child->tag_id >= 0) {
      cfi_readFields(r, child, flex);
    }
    if (child->tag_id == TAG_DEFORMABLE_FLEX_CONTACT) {
      readPassive(node, child, flex);
    }
  }
}

void cfi_readDeformables(cfReader* r, const cfNode* section) {
  static const cfChildReader readers[] = {{TAG_DEFORMABLE_SKIN, readSkin},
                                          {TAG_DEFORMABLE_FLEX, readFlex}};
  cfi_readChildren(r, section, readers, 2);
}
