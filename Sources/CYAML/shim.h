// libyaml's event parser for Swift, as its header declares it.
#ifndef CYAML_SHIM_H
#define CYAML_SHIM_H
#include <yaml.h>
#endif
