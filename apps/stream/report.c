#include "report.h"

#include <pgas/pgas.h>
#include <stdio.h>
#include <string.h>

#include "common/json.h"
#include "common/nodes.h"
#include "job.h"

stream_report_t stream_report_begin(const char *command, const stream_options_t *options)
{
    if (pgas_mythread() == 0)
        common_json_check("--json", options->json);
    return (stream_report_t){command, options, json_array(), true};
}

void stream_report_add(stream_report_t *report, json_t *row)
{
    json_array_append_new(report->results, row);
}

bool stream_report_prints(const stream_report_t *report)
{
    const char *json = report->options->json;
    return pgas_mythread() == 0 && (json == NULL || strcmp(json, "-") != 0);
}

void stream_report_end(stream_report_t *report)
{
    if (pgas_mythread() != 0 || report->options->json == NULL)
        json_decref(report->results);
    else
        common_json_write(json_pack("{s:s, s:s, s:s, s:i, s:i, s:i, s:I, s:s, s:o}", "program",
                                    "fathom-stream", "version", FATHOM_VERSION, "command",
                                    report->command, "threads", pgas_threads(), "nodes",
                                    common_nodes(), "threads_per_node", stream_threads_per_node(),
                                    "repetitions", (json_int_t)report->options->repetitions,
                                    "check", report->right ? "ok" : "failed", "results",
                                    report->results),
                          "--json", report->options->json);
    if (pgas_mythread() == 0 && !report->right)
        pgas_fail(1, "%s: the check failed: values are not what they have to be", report->command);
}

void stream_print_number(int width, double value)
{
    const int most = 12;
    int decimals = 0;
    for (double limit = 99.95; value > 0 && value < limit && decimals < most; limit /= 10)
        decimals++;
    printf("%*.*f", width, decimals, value);
}

void stream_print_spread(const common_spread_t *spread, double factor)
{
    stream_print_number(12, spread->median * factor);
    printf(" (");
    stream_print_number(9, spread->min * factor);
    printf(" .. ");
    stream_print_number(9, spread->max * factor);
    printf(")");
}

stream_unit_t stream_unit_of(double least_seconds)
{
    return least_seconds < 1e-6 ? (stream_unit_t){"ns", 1e9} : (stream_unit_t){"us", 1e6};
}

common_spread_t stream_rate(double amount, const common_spread_t *seconds)
{
    return (common_spread_t){amount / seconds->median, amount / seconds->max,
                             amount / seconds->min};
}

common_spread_t stream_scaled(const common_spread_t *spread, double factor)
{
    return (common_spread_t){spread->median * factor, spread->min * factor, spread->max * factor};
}
