// libtessera_mpich.so: comm's wire on MPICH and libraries with its ABI.
#include "providers/mpi_wire.def"

extern const Wire tsr_mpich_provider;
EXPORT const Wire tsr_mpich_provider = MPI_WIRE("MPICH");

EXPORT extern const char tsr_provider_text[];
const char tsr_provider_text[] = "MPICH " MPICH_VERSION;
