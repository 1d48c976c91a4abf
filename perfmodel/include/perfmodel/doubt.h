/**
 * Reasons to doubt a verdict: where the machine file comes from, and whether anything like this
 * matrix has been predicted and measured before.
 */
#ifndef PERFMODEL_DOUBT_H
#define PERFMODEL_DOUBT_H

#include "perfmodel/verdict.h"

#ifdef __cplusplus
extern "C" {
#endif

/** One bit each. */
typedef enum model_doubt {
    /** The parameters' spread may close the fastest candidate's gain over other variants. */
    MODEL_DOUBT_SPREAD = 1 << 0,
    /** The machine file does not state the host and processor it was measured on. */
    MODEL_DOUBT_UNKNOWN_ORIGIN = 1 << 1,
    /** It was measured on another processor, or on another host with the same processor. */
    MODEL_DOUBT_PROCESSOR = 1 << 2,
    MODEL_DOUBT_HOST = 1 << 3,
    /** It was measured with different numbers of threads or nodes than the job has. */
    MODEL_DOUBT_SHAPE = 1 << 4,
    /** No accuracy file was given; it is for another processor; the matrix lies outside what it
     *  covers. */
    MODEL_DOUBT_NO_ACCURACY = 1 << 5,
    MODEL_DOUBT_ACCURACY_PROCESSOR = 1 << 6,
    MODEL_DOUBT_COVERAGE = 1 << 7,
    /** The machine had two speeds while it was calibrated (support/steady.h). */
    MODEL_DOUBT_DISTURBED = 1 << 8,
    /** The model's own errors exceed the fastest candidate's gain over other variants, which the
     *  spread does not. */
    MODEL_DOUBT_ERRORS = 1 << 9
} model_doubt_t;

/** How far predictions were from run times on a machine, as `scripts/verify` writes it. */
typedef struct model_accuracy {
    /** The file, for messages; cut if longer. */
    char path[512];
    char processor[128];
    /** Over everything that was measured. */
    double least[MODEL_FEATURES];
    double most[MODEL_FEATURES];
    /** Which variants were measured. */
    bool has[MODEL_VARIANTS];
    /** Of abs(predicted / measured - 1), a share. */
    double median[MODEL_VARIANTS];
    double worst[MODEL_VARIANTS];
    model_pair_errors_t pairs;
} model_accuracy_t;

/**
 * How far the rounds of the calibration differ in the steady parameter that differs most
 * (support/steady.h): greatest over least; 1 if none is known.
 *
 * @param parameter receives which one, or -1.
 */
double model_machine_disturbance(const model_machine_t *machine, int *parameter);

/**
 * Reads an accuracy file. Format, version, processor and coverage must be there; variants and
 * pairs of them may be absent.
 *
 * @param accuracy receives it.
 * @param error    receives the reason when the result is false.
 */
bool model_accuracy_read(const char *path, model_accuracy_t *accuracy, mesh_error_t *error);

/** The errors between variants, if the file is of the machine's processor, or that is not known;
 *  NULL otherwise, and without a file (NULL). */
const model_pair_errors_t *model_accuracy_pairs(const model_accuracy_t *accuracy,
                                                const model_machine_t *machine);

/** Bit f: feature f lies outside what the accuracy file covers; lines of x per row by more than
 *  0.01. */
unsigned model_features_outside(const model_accuracy_t *accuracy,
                                const double features[MODEL_FEATURES]);

/**
 * The reasons to doubt a verdict.
 *
 * @param verdict   the verdict.
 * @param machine   the machine it was predicted for.
 * @param layout    the job.
 * @param host      where the job is to run, and that host's processor (support/host.h).
 * @param processor the same.
 * @param accuracy  NULL: none was given.
 * @param features  of the matrix in this job.
 * @return model_doubt_t, one bit each.
 */
unsigned model_doubts(const model_verdict_t *verdict, const model_machine_t *machine,
                      const model_layout_t *layout, const char *host, const char *processor,
                      const model_accuracy_t *accuracy, const double features[MODEL_FEATURES]);

#ifdef __cplusplus
}
#endif
#endif
