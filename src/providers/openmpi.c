// libtessera_openmpi.so: comm's wire on Open MPI.
#include "providers/mpi_wire.def"

extern const Wire tsr_openmpi_provider;
__attribute__((visibility("default"))) const Wire tsr_openmpi_provider = MPI_WIRE("Open MPI");
