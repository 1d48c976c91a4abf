/**
 * The whole performance model. See the individual headers.
 *
 * From a matrix file and a machine file it predicts, without running anything, what every thread of
 * a job would do and move, and how long that takes; and from the traffic that a run of any program
 * has counted, how long its communication takes. It does not depend on the runtime.
 */
#ifndef PERFMODEL_PERFMODEL_H
#define PERFMODEL_PERFMODEL_H

#include "perfmodel/collective.h"
#include "perfmodel/counts.h"
#include "perfmodel/deviation.h"
#include "perfmodel/doubt.h"
#include "perfmodel/features.h"
#include "perfmodel/formulas.h"
#include "perfmodel/heat.h"
#include "perfmodel/layout.h"
#include "perfmodel/machine.h"
#include "perfmodel/matrix.h"
#include "perfmodel/spmv.h"
#include "perfmodel/traffic.h"
#include "perfmodel/tune.h"
#include "perfmodel/verdict.h"

#endif
