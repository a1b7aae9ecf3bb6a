// A trap (an invalid access, an illegal instruction) inside of a kernel names the kernel.
#ifndef TESSERA_CLI_TRAP_H
#define TESSERA_CLI_TRAP_H

// Installs the handler, once, at the start. Nothing in builds with sanitizers, which have their
// own.
void trap_install(void);

#endif
