#include "calibrate.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "calibration.h"
#include "common/json.h"
#include "common/large.h"
#include "common/timing.h"
#include "job.h"
#include "machine_file.h"
#include "support/progress.h"

enum {
    LEAST_ROUNDS = 3,
    MOST_ROUNDS = 1000
};

/* Measures rounds until the time is over: if the machine drifts, all parameters drift with it.
 * Returns the number of rounds. */
static size_t measure_rounds(stream_calibration_t *c, const stream_calibrate_settings_t *settings,
                             double *samples[PARAMETERS])
{
    double start = common_seconds();
    size_t rounds = 0;
    bool more = true;
    progress_begin("calibrate", (size_t)(settings->seconds * 10));
    while (more) {
        stream_parameters_measure(c);
        for (int p = 0; p < PARAMETERS; p++)
            samples[p][rounds] = c->now[p];
        rounds++;
        double passed = common_seconds() - start;
        if (settings->rounds > 0)
            more = rounds < settings->rounds;
        else
            more = rounds < LEAST_ROUNDS || (passed < settings->seconds && rounds < MOST_ROUNDS);
        more = stream_of_thread_0(more) > 0.0;
        if (pgas_mythread() == 0)
            progress_update((size_t)(passed * 10));
    }
    progress_end();
    return rounds;
}

/* The rates of products are differences of times, which a disturbance of either would spoil: what
 * counts is the least time of each over all rounds. The ends are those of single rounds. */
static void correct_rates(const stream_calibration_t *c, common_spread_t spreads[PARAMETERS])
{
    double best[STREAM_RATES];
    stream_rates_best(&c->rates, best);
    for (int r = 0; r < STREAM_RATES; r++) {
        common_spread_t *spread = &spreads[TABLE + r];
        spread->median = best[r];
        spread->min = fmin(spread->min, best[r]);
        spread->max = fmax(spread->max, best[r]);
    }
    for (int p = CLOSE_ROWS; p < MOVES; p++)
        spreads[p].median = spreads[p].min;
}

static void report(const stream_calibration_t *c, const stream_calibrate_settings_t *settings,
                   size_t rounds, double *samples[PARAMETERS])
{
    common_spread_t spreads[PARAMETERS];
    char host[256] = "";
    gethostname(host, sizeof host - 1);
    const char *name = settings->name != NULL ? settings->name : host;
    for (int p = 0; p < PARAMETERS; p++)
        spreads[p] = common_spread(samples[p], rounds);
    if (c->knows_caches)
        correct_rates(c, spreads);
    const stream_machine_file_t file = {c, name, rounds, spreads};
    bool is_printed = settings->out == NULL || strcmp(settings->out, "-") != 0;
    if (is_printed)
        stream_machine_file_print(&file);
    stream_machine_file_warn(&file, is_printed ? stdout : stderr);
    if (settings->out != NULL)
        stream_machine_file_write(&file, settings->out);
}

void stream_calibrate(const stream_calibrate_settings_t *settings)
{
    const double slot = settings->seconds / (LEAST_ROUNDS * 3 * TABLE);
    stream_calibration_t c;
    double *samples[PARAMETERS];
    if (pgas_mythread() == 0)
        common_json_check("--out", settings->out);
    for (int p = 0; p < PARAMETERS; p++) {
        size_t most = settings->rounds > MOST_ROUNDS ? settings->rounds : MOST_ROUNDS;
        samples[p] = common_alloc("samples", most, sizeof(double));
    }
    stream_calibration_create(settings->elements, slot < 0.05 ? slot : 0.05, &c);
    size_t rounds = measure_rounds(&c, settings, samples);
    stream_calibration_check(&c);
    if (pgas_mythread() == 0)
        report(&c, settings, rounds, samples);
    stream_calibration_free(&c);
    for (int p = 0; p < PARAMETERS; p++)
        free(samples[p]);
}
