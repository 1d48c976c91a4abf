#include "advice.h"

#include <stdio.h>
#include <string.h>

#include "command.h"
#include "support/json_text.h"

enum {
    SENTENCE = 1024
};

bool advice_is_alike(const advice_t *advice, size_t point)
{
    return !model_gap_counts(model_gap(&advice->points[point],
                                       &advice->points[advice->verdict->fastest],
                                       model_accuracy_pairs(advice->accuracy, advice->machine)));
}

/* Whether another variant is as good, that does not do the same as the fastest one. */
static bool has_equal(const advice_t *advice)
{
    const model_verdict_t *verdict = advice->verdict;
    return verdict->rival != verdict->fastest && !model_gap_counts(verdict->gain);
}

/* Whether the verdict says that it cannot tell: another variant, that does not do the same as the
 * fastest point's, is as good, or the calibration was disturbed. It is about predictions, whatever
 * was measured. */
static bool cannot_tell(const advice_t *advice)
{
    return (advice->doubts & MODEL_DOUBT_DISTURBED) != 0 || has_equal(advice);
}

json_t *advice_point_json(const model_point_t *point)
{
    json_t *object = json_pack(
        "{s:I, s:s, s:o, s:I, s:f, s:I, s:I, s:I, s:I}", "blocksize", (json_int_t)point->blocksize,
        "variant", model_variant_name(point->variant), "seconds",
        command_estimate_json(&point->seconds, 1000.0), "largest_rows",
        (json_int_t)point->largest_rows, "mean_rows", point->mean_rows, "volume_bytes",
        (json_int_t)point->volume_bytes, "messages", (json_int_t)point->messages, "remote_bytes",
        (json_int_t)point->remote_bytes, "remote_messages", (json_int_t)point->remote_messages);
    json_t *features = json_object();
    for (int f = 0; f < MODEL_FEATURES; f++)
        json_object_set_new(features, model_feature_name((model_feature_t)f),
                            json_real(point->features[f]));
    json_object_set_new(object, "features", features);
    if (point->has_paper)
        json_object_set_new(object, "paper_seconds", command_estimate_json(&point->paper, 1000.0));
    return object;
}

static void print_beside(const char *what, const model_point_t *point, const model_point_t *chosen)
{
    printf("  %-34s %10.4g s", what, point->seconds.predicted * 1000.0);
    /* Where all parameters are 0, so are the times, and nothing is a part of them. */
    if (chosen->seconds.predicted > 0.0)
        printf(" (%+.1f %%)", (point->seconds.predicted / chosen->seconds.predicted - 1.0) * 100.0);
    printf("  load %.4f, %.4g MB in %llu messages, of those %.4g MB in %llu between nodes\n",
           (double)point->largest_rows / point->mean_rows, (double)point->volume_bytes * 1e-6,
           (unsigned long long)point->messages, (double)point->remote_bytes * 1e-6,
           (unsigned long long)point->remote_messages);
}

/* The fastest point of a block size (0: of any) and variant; NULL if there is none. */
static const model_point_t *find_point(const advice_t *advice, size_t blocksize, int variant)
{
    const model_point_t *found = NULL;
    for (size_t p = 0; p < advice->count; p++) {
        const model_point_t *point = &advice->points[p];
        if ((blocksize == 0 || point->blocksize == blocksize) && (int)point->variant == variant &&
            (found == NULL || point->seconds.predicted < found->seconds.predicted))
            found = point;
    }
    return found;
}

/* "v2, v3 and v4" for a set of bits except `but`; returns how many. */
static int name_variants(unsigned variants, int but, char *text, size_t nbytes)
{
    int count = 0;
    int named = 0;
    size_t used = 0;
    text[0] = '\0';
    variants &= ~(1U << (unsigned)but);
    for (unsigned v = 0; v < MODEL_VARIANTS; v++)
        count += (int)((variants >> v) & 1U);
    for (unsigned v = 0; v < MODEL_VARIANTS; v++)
        if (((variants >> v) & 1U) != 0 && used < nbytes) {
            const char *between = named == 0 ? "" : named + 1 == count ? " and " : ", ";
            used += (size_t)snprintf(text + used, nbytes - used, "%s%s", between,
                                     model_variant_names[v]);
            named++;
        }
    return count;
}

/* What the choice cannot be told from. */
static void print_alike(const advice_t *advice)
{
    const model_verdict_t *verdict = advice->verdict;
    const model_point_t *chosen = &advice->points[verdict->chosen];
    const model_point_t *least = &advice->points[verdict->least];
    char others[64];
    if (name_variants(verdict->alike, (int)chosen->variant, others, sizeof others) > 0)
        printf("  no significant difference between %s and %s\n",
               model_variant_name(chosen->variant), others);
    if (least->blocksize < chosen->blocksize)
        printf("  no significant difference between BLOCKSIZE %zu and %zu: the larger one has the "
               "least overhead\n",
               least->blocksize, chosen->blocksize);
    if (advice->trial_count == 0 && has_equal(advice))
        printf("  run the first few to be sure: --measure 3\n");
}

static void print_choice(const advice_t *advice)
{
    const model_point_t *chosen = &advice->points[advice->verdict->chosen];
    model_estimate_t interval = model_interval(chosen);
    char text[64];
    printf("%s: --blocksize %zu --variant %s: %.4g s per 1000 products (%.4g .. %.4g by the "
           "calibration's spread)\n",
           advice->trial_count > 0 ? "predicted" : "best", chosen->blocksize,
           model_variant_name(chosen->variant), interval.predicted * 1000.0, interval.low * 1000.0,
           interval.high * 1000.0);
    print_alike(advice);
    print_beside("this one", chosen, chosen);
    const model_point_t *even = find_point(advice, advice->layout->blocksize, (int)chosen->variant);
    if (even != NULL && even != chosen)
        print_beside("one block per thread", even, chosen);
    for (int v = 0; v < MODEL_VARIANTS; v++) {
        const model_point_t *other = find_point(advice, 0, v);
        if (other == NULL || v == (int)chosen->variant)
            continue;
        snprintf(text, sizeof text, "%s at its best, BLOCKSIZE %zu",
                 model_variant_name(other->variant), other->blocksize);
        print_beside(text, other, chosen);
    }
}

/* -- doubts, a sentence each -- */

static void say_spread(const advice_t *advice, char *text)
{
    const model_verdict_t *verdict = advice->verdict;
    snprintf(text, SENTENCE,
             "the calibration's spread closes the difference between %s and %s by up to %.1f %%, "
             "and it is %.1f %%",
             model_variant_name(advice->points[verdict->fastest].variant),
             model_variant_name(advice->points[verdict->rival].variant),
             verdict->gain.spread * 100.0, verdict->gain.predicted * 100.0);
}

static void say_errors(const advice_t *advice, char *text)
{
    const model_verdict_t *verdict = advice->verdict;
    snprintf(text, SENTENCE,
             "predictions of %s and %s were off against each other by %.1f %% in the median "
             "(%.200s), and their difference is %.1f %%",
             model_variant_name(advice->points[verdict->fastest].variant),
             model_variant_name(advice->points[verdict->rival].variant),
             verdict->gain.error * 100.0, advice->accuracy->path, verdict->gain.predicted * 100.0);
}

static void say_coverage(const advice_t *advice, char *text)
{
    const double *features = advice->points[advice->verdict->chosen].features;
    unsigned outside = model_features_outside(advice->accuracy, features);
    size_t used =
        (size_t)snprintf(text, SENTENCE, "%.200s covers no such product:", advice->accuracy->path);
    for (int f = 0; f < MODEL_FEATURES; f++)
        if (((outside >> (unsigned)f) & 1U) != 0)
            used += (size_t)snprintf(text + used, SENTENCE - used, " %s %.4g (%.4g .. %.4g)",
                                     model_feature_name((model_feature_t)f), features[f],
                                     advice->accuracy->least[f], advice->accuracy->most[f]);
}

static void say_disturbed(const model_machine_t *machine, char *text)
{
    int parameter;
    double ratio = model_machine_disturbance(machine, &parameter);
    snprintf(text, SENTENCE,
             "the machine was disturbed during calibration: %s differs by %.0f %% between rounds; "
             "calibrate again, or run the first few: --measure 3",
             model_parameter_name(parameter), (ratio - 1.0) * 100.0);
}

/* The sentence of one doubt. */
static void say(const advice_t *advice, unsigned doubt, char text[SENTENCE])
{
    const model_machine_t *machine = advice->machine;
    switch (doubt) {
    case MODEL_DOUBT_SPREAD:
        say_spread(advice, text);
        break;
    case MODEL_DOUBT_UNKNOWN_ORIGIN:
        snprintf(text, SENTENCE,
                 "%.200s does not say on which host and processor it was measured: calibrate again",
                 machine->path);
        break;
    case MODEL_DOUBT_PROCESSOR:
        snprintf(text, SENTENCE,
                 "%.200s was measured on %s, %s, which is another processor than this host's",
                 machine->path, machine->host, machine->processor);
        break;
    case MODEL_DOUBT_HOST:
        snprintf(text, SENTENCE, "%.200s was measured on %s, another host with such a processor",
                 machine->path, machine->host);
        break;
    case MODEL_DOUBT_SHAPE:
        snprintf(text, SENTENCE,
                 "%.200s was measured with threads: %zu, nodes: %zu, the job has %zu and %zu; "
                 "bandwidths and latencies depend on that",
                 machine->path, machine->threads, machine->nodes, advice->layout->threads,
                 advice->layout->nodes);
        break;
    case MODEL_DOUBT_DISTURBED:
        say_disturbed(machine, text);
        break;
    case MODEL_DOUBT_ERRORS:
        say_errors(advice, text);
        break;
    case MODEL_DOUBT_NO_ACCURACY:
        snprintf(text, SENTENCE,
                 "how far predictions are off on such matrices is not known (--accuracy)");
        break;
    case MODEL_DOUBT_ACCURACY_PROCESSOR:
        snprintf(text, SENTENCE, "%.200s is of another processor, %s", advice->accuracy->path,
                 advice->accuracy->processor);
        break;
    default:
        say_coverage(advice, text);
        break;
    }
}

static void print_accuracy(const advice_t *advice)
{
    const model_accuracy_t *accuracy = advice->accuracy;
    model_variant_t chosen = advice->points[advice->verdict->chosen].variant;
    if (accuracy != NULL && accuracy->has[chosen])
        printf("  predictions of %s were off by %.1f %% in the median and %.1f %% at worst (%s)\n",
               model_variant_name(chosen), accuracy->median[chosen] * 100.0,
               accuracy->worst[chosen] * 100.0, accuracy->path);
}

/* Predicted, measured, chosen. */
static void print_trials(const advice_t *advice)
{
    const trial_result_t *best = &advice->trials[advice->trial_chosen];
    printf("%-8s %10s %10s %10s %25s  (s per 1000 products)\n", "variant", "BLOCKSIZE", "predicted",
           "measured", "(min .. max)");
    for (size_t t = 0; t < advice->trial_count; t++) {
        const trial_result_t *trial = &advice->trials[t];
        const model_point_t *point = &advice->points[trial->point];
        printf("%-8s %10zu %10.4g %10.4g (%10.4g .. %10.4g)%s\n",
               model_variant_name(point->variant), point->blocksize,
               point->seconds.predicted * 1000.0, trial->seconds * 1000.0, trial->least * 1000.0,
               trial->most * 1000.0, trial == best ? "  <- chosen" : "");
    }
    printf("measured: --blocksize %zu --variant %s: %.4g s per 1000 products\n",
           advice->points[best->point].blocksize,
           model_variant_name(advice->points[best->point].variant), best->seconds * 1000.0);
}

void advice_print(const advice_t *advice)
{
    char text[SENTENCE];
    if (advice->trial_count > 0)
        print_trials(advice);
    print_choice(advice);
    print_accuracy(advice);
    for (unsigned bit = 1; bit != 0 && bit <= advice->doubts; bit <<= 1)
        if ((advice->doubts & bit) != 0) {
            say(advice, bit, text);
            printf("warning: %s\n", text);
        }
    printf("\n");
}

static json_t *names_json(unsigned variants)
{
    json_t *array = json_array();
    for (unsigned v = 0; v < MODEL_VARIANTS; v++)
        if (((variants >> v) & 1U) != 0)
            json_array_append_new(array, json_string(model_variant_names[v]));
    return array;
}

static json_t *trials_json(const advice_t *advice)
{
    json_t *array = json_array();
    for (size_t t = 0; t < advice->trial_count; t++) {
        const trial_result_t *trial = &advice->trials[t];
        const model_point_t *point = &advice->points[trial->point];
        json_array_append_new(
            array,
            json_pack("{s:s, s:I, s:f, s:{s:f, s:f, s:f}, s:b}", "variant",
                      model_variant_name(point->variant), "blocksize", (json_int_t)point->blocksize,
                      "predicted_seconds", point->seconds.predicted * 1000.0, "measured_seconds",
                      "median", trial->seconds * 1000.0, "min", trial->least * 1000.0, "max",
                      trial->most * 1000.0, "chosen", (int)(t == advice->trial_chosen)));
    }
    return array;
}

json_t *advice_json(const advice_t *advice)
{
    const model_verdict_t *verdict = advice->verdict;
    const model_point_t *chosen = &advice->points[verdict->chosen];
    const model_point_t *rival = &advice->points[verdict->rival];
    const model_estimate_t interval = model_interval(chosen);
    char text[SENTENCE];
    json_t *doubts = json_array();
    for (unsigned bit = 1; bit != 0 && bit <= advice->doubts; bit <<= 1)
        if ((advice->doubts & bit) != 0) {
            say(advice, bit, text);
            json_array_append_new(doubts, text_to_json(text));
        }
    json_t *object =
        json_pack("{s:s, s:I, s:o, s:I, s:o, s:o}", "variant", model_variant_name(chosen->variant),
                  "blocksize", (json_int_t)chosen->blocksize, "interval",
                  command_estimate_json(&interval, 1000.0), "least_blocksize",
                  (json_int_t)advice->points[verdict->least].blocksize, "alike",
                  names_json(verdict->alike), "doubts", doubts);
    json_object_set_new(object, "cannot_tell", json_boolean(cannot_tell(advice)));
    if (verdict->rival != verdict->fastest)
        command_json_add(object,
                         json_pack("{s:{s:s, s:I}, s:f, s:f, s:f}", "rival", "variant",
                                   model_variant_name(rival->variant), "blocksize",
                                   (json_int_t)rival->blocksize, "gain", verdict->gain.predicted,
                                   "gain_spread", verdict->gain.spread, "gain_error",
                                   verdict->gain.error));
    if (advice->trial_count > 0)
        json_object_set_new(object, "measured", trials_json(advice));
    return object;
}
