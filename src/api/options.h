// ashlar_options, checked, as the options of the store.
//
// Every value is either used as it is or refused by name; none is silently changed. NULL means the defaults of DURABLE.
#pragma once

#include "ashlar/ashlar.h"
#include "base/status.h"
#include "store/options.h"

namespace ashlar::api {

Result<store::Options> read_options(const ashlar_options* options);

}  // namespace ashlar::api
