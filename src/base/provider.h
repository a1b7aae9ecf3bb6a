// Libraries that libtessera can do without, each behind one shared object of ours ("provider") that
// is opened when it is first asked for (decision D14).
//
// TESSERA_PROVIDERS is a list of directories, separated by colons; it may be `none`. Without it a
// provider is looked for beside the file this code is in (libtessera.so or the program it is linked
// to), in ../lib of it, and then where the dynamic loader looks.
#ifndef TESSERA_BASE_PROVIDER_H
#define TESSERA_BASE_PROVIDER_H

// The object that the provider `file` exports as `symbol`; lives until the process ends. NULL if
// there is no such provider, or a library it needs is missing. Any thread may ask; nothing is kept
// here, as the loader knows what is open. A few file system calls each time.
const void *provider_find(const char *file, const char *symbol);

#endif
