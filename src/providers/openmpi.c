// libtessera_openmpi.so: comm's wire on Open MPI.
#include "providers/mpi_wire.def"

extern const Wire tsr_openmpi_provider;
EXPORT const Wire tsr_openmpi_provider = MPI_WIRE("Open MPI");

#define TEXT(x) #x
#define NUMBER(x) TEXT(x)
EXPORT extern const char tsr_provider_text[];
const char tsr_provider_text[] = "Open MPI " NUMBER(OMPI_MAJOR_VERSION) "." NUMBER(
    OMPI_MINOR_VERSION) "." NUMBER(OMPI_RELEASE_VERSION);
