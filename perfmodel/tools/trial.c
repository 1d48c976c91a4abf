#include "trial.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <wordexp.h>

#include "child.h"
#include "fail.h"
#include "support/progress.h"
#include "temporary_file.h"

enum {
    TURNS = 3,
    WORDS = 16, /* of fathom-spmv */
    LEAST_ITERATIONS = 3,
    MOST_ITERATIONS = 1000,
    /* For a launcher to end its job when a signal ends this program; one on a cluster must, for
     * nobody else ends what it started on other hosts. */
    END_MILLISECONDS = 5000
};

/* For one run of a candidate, with three repetitions. */
static const double run_seconds = 0.6;

/* Finds a program beside this one, where both are installed. */
static void find_program(const char *name, char path[PATH_MAX])
{
    char own[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
    own[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(own, '/');
    snprintf(path, PATH_MAX, "%s", name);
    if (slash == NULL)
        return;
    slash[1] = '\0';
    if (strlen(own) + strlen(name) < PATH_MAX) {
        snprintf(path, PATH_MAX, "%.2000s%.100s", own, name);
        if (access(path, X_OK) != 0)
            snprintf(path, PATH_MAX, "%s", name);
    }
}

/* Fills in the launcher's numbers. */
static bool fill_in(const trial_t *trial, char text[PATH_MAX], mesh_error_t *error)
{
    static const char *const names[] = {"{threads}", "{nodes}"};
    const size_t values[] = {trial->layout->threads, trial->layout->nodes};
    size_t used = 0;
    for (const char *from = trial->launcher; *from != '\0';) {
        int found = -1;
        for (int n = 0; n < 2; n++)
            if (strncmp(from, names[n], strlen(names[n])) == 0)
                found = n;
        if (used + 32 > PATH_MAX)
            return modeli_fail(error, "--launcher: it is too long");
        if (found >= 0) {
            used += (size_t)snprintf(text + used, PATH_MAX - used, "%zu", values[found]);
            from += strlen(names[found]);
        } else {
            text[used++] = *from++;
        }
    }
    text[used] = '\0';
    return true;
}

/* Adds a word to `used` bytes of a shell's text, in quotes. Returns how many there are then, or
 * `size` if they are too many. */
static size_t add_quoted(const char *word, char *text, size_t used, size_t size)
{
    enum {
        LONGEST = 8 /* of one character and what is behind the last */
    };
    text[used++] = '\'';
    for (; *word != '\0'; word++) {
        if (used + LONGEST > size)
            return size;
        if (*word == '\'')
            used += (size_t)snprintf(text + used, size - used, "'\\'");
        text[used++] = *word;
    }
    text[used++] = '\'';
    return used;
}

/* Splits the launcher into words; the caller frees them with wordfree. */
static bool split_launcher(const trial_t *trial, wordexp_t *words, mesh_error_t *error)
{
    char text[PATH_MAX];
    char program[PATH_MAX];
    if (trial->launcher != NULL) {
        if (!fill_in(trial, text, error))
            return false;
    } else {
        find_program("fathom-run", program);
        size_t used = add_quoted(program, text, 0, sizeof text - 100);
        snprintf(text + used, sizeof text - used, " -n %zu --nodes %zu --", trial->layout->threads,
                 trial->layout->nodes);
    }
    int status = wordexp(text, words, WRDE_NOCMD | WRDE_UNDEF);
    if (status != 0 || words->we_wordc == 0) {
        if (status == 0)
            wordfree(words);
        return modeli_fail(error, "--launcher: '%.200s' makes no command", text);
    }
    return true;
}

/* The last line of a failed run's output. */
static void last_line(const char *path, char *line, size_t nbytes)
{
    char read[512];
    FILE *file = fopen(path, "r");
    snprintf(line, nbytes, "it says nothing");
    while (file != NULL && fgets(read, sizeof read, file) != NULL) {
        read[strcspn(read, "\n")] = '\0';
        if (read[0] != '\0')
            snprintf(line, nbytes, "%.300s", read);
    }
    if (file != NULL)
        fclose(file);
}

/* The files of the runs, in a directory of their own. */
typedef struct place {
    meshi_temporary_t *directory;
    meshi_temporary_t *json;
    meshi_temporary_t *said;
} place_t;

static bool make_place(place_t *place, mesh_error_t *error)
{
    *place = (place_t){NULL, NULL, NULL};
    return meshi_temporary_directory(&place->directory, error) &&
           meshi_temporary_member(place->directory, "run.json", &place->json, error) &&
           meshi_temporary_member(place->directory, "said", &place->said, error);
}

static void remove_place(const place_t *place)
{
    meshi_temporary_remove(place->json);
    meshi_temporary_remove(place->said);
    meshi_temporary_remove(place->directory);
}

/* Runs a command with its output in a file. */
static bool run_command(char *const *words, const place_t *place, mesh_error_t *error)
{
    const char *said = meshi_temporary_path(place->said);
    char line[320];
    pid_t child;
    int output = open(said, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (output < 0)
        return modeli_fail(error, "--measure: '%.200s': %s", said, strerror(errno));
    int reason = meshi_child_start(words, output, meshi_temporary_owner(place->directory),
                                   END_MILLISECONDS, &child);
    close(output);
    if (reason != 0)
        return modeli_fail(error, "--measure: '%.200s' cannot be started: %s", words[0],
                           strerror(reason));
    int status = meshi_child_wait(child, NULL, NULL);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return true;
    last_line(said, line, sizeof line);
    return modeli_fail(error, "--measure: the run failed: %s", line);
}

static bool read_seconds(const char *path, double *seconds, mesh_error_t *error)
{
    json_t *root = json_load_file(path, 0, NULL);
    const json_t *variant = json_array_get(json_object_get(root, "variants"), 0);
    const json_t *median =
        json_object_get(json_object_get(variant, "seconds_per_1000_iterations"), "median");
    bool is_there = json_is_number(median) && json_number_value(median) > 0.0;
    if (is_there)
        *seconds = json_number_value(median) / 1000.0;
    json_decref(root);
    return is_there || modeli_fail(error, "--measure: the run left no times in its JSON file");
}

/* Runs a candidate once. */
static bool run_point(const trial_t *trial, const wordexp_t *launcher, const model_point_t *point,
                      const place_t *place, double *seconds, mesh_error_t *error)
{
    char program[PATH_MAX];
    char blocksize[32];
    char iterations[32];
    const char *json = meshi_temporary_path(place->json);
    double wanted = run_seconds / 3.0 / point->seconds.predicted;
    wanted = wanted < LEAST_ITERATIONS ? LEAST_ITERATIONS : wanted;
    wanted = wanted > MOST_ITERATIONS ? MOST_ITERATIONS : wanted;
    find_program("fathom-spmv", program);
    snprintf(blocksize, sizeof blocksize, "%zu", point->blocksize);
    snprintf(iterations, sizeof iterations, "%.0f", wanted);
    const char *own[WORDS] = {program,
                              "--variant",
                              model_variant_name(point->variant),
                              "--blocksize",
                              blocksize,
                              "--iterations",
                              iterations,
                              "--repetitions",
                              "3",
                              "--json",
                              json,
                              "--", /* a file may be called -m.h5 */
                              trial->matrix,
                              NULL};
    char **words = calloc(launcher->we_wordc + WORDS, sizeof *words);
    if (words == NULL)
        return modeli_fail(error, "--measure: not enough memory for a command");
    memcpy(words, launcher->we_wordv, launcher->we_wordc * sizeof *words);
    memcpy(words + launcher->we_wordc, own, sizeof own);
    /* What an earlier run left is not this one's result. */
    unlink(json);
    bool done = run_command(words, place, error) && read_seconds(json, seconds, error);
    free(words);
    return done;
}

static int by_value(const void *a, const void *b)
{
    double first = *(const double *)a;
    double second = *(const double *)b;
    return (first > second) - (first < second);
}

static bool run_turns(const trial_t *trial, const wordexp_t *launcher, const place_t *place,
                      const model_point_t *points, const size_t *list, size_t count,
                      double (*times)[TURNS], mesh_error_t *error)
{
    progress_begin("measuring", TURNS * count);
    for (size_t run = 0; run < TURNS * count; run++) {
        size_t turn = run / count;
        size_t l = turn % 2 == 0 ? run % count : count - 1 - run % count;
        progress_update(run);
        if (!run_point(trial, launcher, &points[list[l]], place, &times[l][turn], error))
            return false;
    }
    progress_end();
    return true;
}

bool trial_run(const trial_t *trial, const model_point_t *points, const size_t *list, size_t count,
               trial_result_t *results, mesh_error_t *error)
{
    place_t place;
    wordexp_t launcher;
    double(*times)[TURNS] = calloc(count, sizeof *times);
    if (times == NULL)
        return modeli_fail(error, "--measure: not enough memory for %zu candidates", count);
    bool done = split_launcher(trial, &launcher, error);
    if (done) {
        done = make_place(&place, error) &&
               run_turns(trial, &launcher, &place, points, list, count, times, error);
        remove_place(&place);
        wordfree(&launcher);
    }
    for (size_t l = 0; done && l < count; l++) {
        qsort(times[l], TURNS, sizeof times[l][0], by_value);
        results[l] =
            (trial_result_t){list[l], times[l][TURNS / 2], times[l][0], times[l][TURNS - 1]};
    }
    free(times);
    return done;
}
