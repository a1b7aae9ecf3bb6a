// libtessera_mpich.so: comm's wire on MPICH and libraries with its ABI.
#include "providers/mpi_wire.def"

extern const Wire tsr_mpich_provider;
__attribute__((visibility("default"))) const Wire tsr_mpich_provider = MPI_WIRE("MPICH");
