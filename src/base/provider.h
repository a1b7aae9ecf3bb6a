// Optional libraries, each behind a shared object of ours ("provider") that is opened when it is
// needed (decision D14).
//
// TESSERA_PROVIDERS is a colon-separated list of directories, or `none`. Without it a provider is
// searched next to the file that contains this code (libtessera.so or the program), in ../lib of
// that, and then by the dynamic loader.
#ifndef TESSERA_BASE_PROVIDER_H
#define TESSERA_BASE_PROVIDER_H

#include <stdint.h>

// The object that the provider `file` exports as `symbol`; lives until the process ends. NULL if
// the provider or a library that it needs is missing. Thread safe; keeps no state, since the loader
// knows what is open. Costs a few file system calls.
const void *provider_find(const char *file, const char *symbol);
// The same, and the symbols of the libraries that it needs become visible to libraries opened
// later: MPI libraries open plugins that use them.
const void *provider_find_global(const char *file, const char *symbol);

// The known providers (providers.def).
typedef struct ProviderRow {
  const char *name;     // of libtessera_NAME.so
  const char *package;  // of Debian, with the library
  const char *does, *without;
} ProviderRow;
uint32_t provider_count(void);
const ProviderRow *provider_row(uint32_t i);
// The library that the provider was built with, as in "oneDNN 2.6.3": the string that each provider
// exports as tsr_provider_text. NULL if the provider or its library is missing.
const char *provider_text(const ProviderRow *row);

#endif
