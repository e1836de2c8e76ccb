// Resource providers and decoders that serve every model of the process.
#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "base/registry.h"

//---------------------------------- resource providers --------------------------------------------


static const char* providerPrefix(const void* object) {
  return ((const mjpResourceProvider*)object)->prefix;
}


static bool sameProvider(const void* a, const void* b) {
  const mjpResourceProvider *p = a, *q = b;
  return cfi_sameName(p->prefix, q->prefix) && p->open == q->open && p->read == q->read &&
         p->close == q->close && p->modified == q->modified && p->data == q->data;
}


static bool copyProvider(void* dest, const void* src) {
  mjpResourceProvider* copy = dest;
  *copy = *(const mjpResourceProvider*)src;
  copy->prefix = cfi_copyName(copy->prefix);
  return copy->prefix != NULL;
}

static const cfRegistryClass provider_class = {"resource provider", sizeof(mjpResourceProvider),
                                               providerPrefix,      sameProvider,
                                               copyProvider,        false};
static cfRegistry providers = CF_REGISTRY_INIT(&provider_class);


// a scheme starts with a letter and goes on with letters, digits and "+.-" (RFC 3986, 3.1)
static bool isScheme(const char* text, size_t length) {
  CF_ASSERT(text != NULL);
  if (!length || !isalpha((unsigned char)text[0])) {
    return false;
  }
  for (size_t k = 1; k < length; k++) {
    if (!isalnum((unsigned char)text[k]) && !strchr("+.-", text[k])) {
      return false;
    }
  }
  return true;
}


void mjp_defaultResourceProvider(mjpResourceProvider* provider) {
  memset(provider, 0, sizeof(*provider));
}


// slots of providers count from 1
int mjp_registerResourceProvider(const mjpResourceProvider* provider) {
  if (!provider->prefix || !isScheme(provider->prefix, strlen(provider->prefix))) {
    mju_warning("provider->prefix is '%s' which is not a valid URI scheme format",
                provider->prefix ? provider->prefix : "(null)");
    return -1;
  }
  if (!provider->open || !provider->read || !provider->close) {
    mju_warning("provider must have the open, read, and close callbacks defined");
    return -1;
  }
  const int slot = cfi_register(&providers, provider);
  return slot < 0 ? -1 : slot + 1;
}


int mjp_resourceProviderCount(void) {
  return cfi_registeredCount(&providers);
}


const mjpResourceProvider* mjp_getResourceProvider(const char* resource_name) {
  const char* colon = resource_name ? strchr(resource_name, ':') : NULL;
  const size_t length = colon ? (size_t)(colon - resource_name) : 0;
  if (length >= CF_KEY_MAX || !isScheme(resource_name, length)) {
    return NULL;
  }
  char scheme[CF_KEY_MAX];
  memcpy(scheme, resource_name, length);
  scheme[length] = 0;
  return cfi_findRegistered(&providers, scheme, NULL);
}


const mjpResourceProvider* mjp_getResourceProviderAtSlot(int slot) {
  return cfi_registered(&providers, slot - 1);
}

//---------------------------------- decoders ------------------------------------------------------


// an entry has either a content type or one extension
static const char* decoderKey(const void* object) {
  const mjpDecoder* decoder = object;
  return decoder->content_type ? decoder->content_type : decoder->extension;
}


static bool sameDecoder(const void* a, const void* b) {
  const mjpDecoder *p = a, *q = b;
  return cfi_sameName(p->content_type, q->content_type) &&
         cfi_sameName(p->extension, q->extension) && p->can_decode == q->can_decode &&
         p->decode == q->decode;
}


static bool copyDecoder(void* dest, const void* src) {
  mjpDecoder* copy = dest;
  *copy = *(const mjpDecoder*)src;
  const char** key = copy->content_type ? &copy->content_type : &copy->extension;
  *key = cfi_copyName(*key);
  return *key != NULL;
}

static const cfRegistryClass decoder_class = {"resource decoder", sizeof(mjpDecoder), decoderKey,
                                              sameDecoder,        copyDecoder,        false};
static cfRegistry decoders = CF_REGISTRY_INIT(&decoder_class);


void mjp_defaultDecoder(mjpDecoder* decoder) {
  memset(decoder, 0, sizeof(*decoder));
}


// one entry per extension of a list like ".a|.b"
static void registerExtensions(mjpDecoder entry, const char* list) {
  while (*list) {
    char extension[CF_KEY_MAX];
    const size_t length = strcspn(list, "|");
    if (length && length < sizeof(extension)) {
      memcpy(extension, list, length);
      extension[length] = 0;
      entry.extension = extension;
      cfi_register(&decoders, &entry);
    }
    list += length + (list[length] == '|');
  }
}


// why a decoder cannot be used, or NULL
static const char* decoderFault(const mjpDecoder* decoder) {
  if (!decoder->can_decode || !decoder->decode) {
    return "decoder must provide decode and can_decode callbacks.";
  }
  const bool has_key = decoder->content_type || decoder->extension;
  return has_key ? NULL : "decoder must provide content_type and/or extensions.";
}


void mjp_registerDecoder(const mjpDecoder* decoder) {
  const char* fault = decoderFault(decoder);
  if (fault) {
    mju_warning("%s", fault);
    return;
  }
  if (decoder->content_type) {
    mjpDecoder by_type = *decoder;
    by_type.extension = NULL;
    cfi_register(&decoders, &by_type);
  }
  if (decoder->extension) {
    mjpDecoder by_extension = *decoder;
    by_extension.content_type = NULL;
    registerExtensions(by_extension, decoder->extension);
  }
}


// the content type is tried before the extension of the resource's name
const mjpDecoder* mjp_findDecoder(const mjResource* resource, const char* content_type) {
  const char* keys[2] = {content_type, strrchr(resource->name, '.')};
  if (!keys[0] && !keys[1]) {
    mju_warning("Must provide extension or content_type to mjp_findDecoder.");
    return NULL;
  }
  for (int k = 0; k < 2; k++) {
    const mjpDecoder* decoder = cfi_findRegistered(&decoders, keys[k], NULL);
    if (decoder && decoder->can_decode(resource)) {
      return decoder;
    }
  }
  return NULL;
}
