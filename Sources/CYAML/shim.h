// The face of libyaml that Swift sees: its event parser, as the header declares it.
#ifndef CYAML_SHIM_H
#define CYAML_SHIM_H
#include <yaml.h>
#endif
