#include "machine_file.h"

#include <stdio.h>
#include <time.h>

#include "common/json.h"
#include "common/nodes.h"
#include "job.h"
#include "machine.h"
#include "support/host.h"
#include "support/json_text.h"
#include "support/steady.h"

static json_t *to_json(const stream_machine_file_t *file)
{
    const stream_calibration_t *c = file->calibration;
    char date[32];
    char source[256];
    char host[256];
    char processor[128];
    time_t now = time(NULL);
    struct tm utc;
    gmtime_r(&now, &utc);
    host_name(host, sizeof host);
    host_processor(processor, sizeof processor);
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &utc);
    snprintf(source, sizeof source,
             "measured by fathom-stream calibrate %s: %d threads on %d nodes, %zu rounds, %zu "
             "elements per thread and array",
             FATHOM_VERSION, pgas_threads(), common_nodes(), file->rounds, c->memory.count);
    json_t *parameters = json_object();
    for (int p = 0; p < PARAMETERS; p++)
        if (stream_parameter_is_measured(c, p))
            json_object_set_new(parameters, stream_parameter_name(p),
                                common_spread_to_json(&file->spreads[p]));
    return json_pack(
        "{s:s, s:i, s:o, s:o, s:o, s:s, s:s, s:i, s:i, s:i, s:I, s:I, s:I, s:I, s:I, s:I, s:o}",
        "format", "fathom-machine", "version", 1, "name", text_to_json(file->name), "host",
        text_to_json(host), "processor", text_to_json(processor), "date", date, "source", source,
        "threads", pgas_threads(), "nodes", common_nodes(), "threads_per_node",
        stream_threads_per_node(), "cache_line_bytes", (json_int_t)stream_cache_line(),
        "first_level_cache_bytes", (json_int_t)c->caches.first_level, "second_level_cache_bytes",
        (json_int_t)c->caches.second_level, "last_level_cache_bytes",
        (json_int_t)stream_last_level_cache(), "last_level_share_bytes",
        (json_int_t)c->caches.share, "rounds", (json_int_t)file->rounds, "parameters", parameters);
}

void stream_machine_file_write(const stream_machine_file_t *file, const char *out)
{
    common_json_write(to_json(file), "--out", out);
}

/* The steady parameter that differs most between rounds; -1 if none is measured. */
static int find_unsteadiest(const stream_machine_file_t *file, double *ratio)
{
    int found = -1;
    *ratio = 0.0;
    for (int p = 0; p < PARAMETERS; p++) {
        const common_spread_t *spread = &file->spreads[p];
        if (!stream_parameter_is_measured(file->calibration, p) ||
            !steady_is_parameter(stream_parameter_name(p)) || spread->min <= 0.0)
            continue;
        if (spread->max / spread->min > *ratio) {
            *ratio = spread->max / spread->min;
            found = p;
        }
    }
    return found;
}

static void print_row(const stream_machine_file_t *file, int p)
{
    double scale;
    const char *unit = stream_parameter_unit(p, &scale);
    const common_spread_t *spread = &file->spreads[p];
    printf("%-24s %10.4g (%10.4g .. %10.4g) %s\n", stream_parameter_name(p), spread->median * scale,
           spread->min * scale, spread->max * scale, unit);
}

void stream_machine_file_print(const stream_machine_file_t *file)
{
    printf("%s: threads: %d, nodes: %d, rounds: %zu, elements per thread and array: %zu, "
           "last-level cache per thread: %.1f MiB\n",
           file->name, pgas_threads(), common_nodes(), file->rounds,
           file->calibration->memory.count, (double)file->calibration->caches.share / 1048576.0);
    printf("%-24s %10s %25s\n", "parameter", "median", "(min .. max)");
    for (int p = 0; p < PARAMETERS; p++)
        if (stream_parameter_is_measured(file->calibration, p))
            print_row(file, p);
}

void stream_machine_file_warn(const stream_machine_file_t *file, FILE *stream)
{
    double ratio;
    int unsteady = find_unsteadiest(file, &ratio);
    if (unsteady >= 0 && ratio > STEADY_RATIO)
        fprintf(
            stream,
            "warning: the machine was disturbed: %s differs by %.0f %% between rounds; predictions "
            "are no better than that\n",
            stream_parameter_name(unsteady), (ratio - 1.0) * 100.0);
}
