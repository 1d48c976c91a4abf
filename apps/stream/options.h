/**
 * The options of the commands. Each command lists those it takes; all parse them alike.
 */
#ifndef STREAM_OPTIONS_H
#define STREAM_OPTIONS_H

#include <argp.h>
#include <pgas/types.h>
#include <stdbool.h>
#include <stddef.h>

enum {
    STREAM_LIST_MAX = 32
};

/** A list of numbers from the user. */
typedef struct stream_list {
    size_t values[STREAM_LIST_MAX];
    size_t count;
} stream_list_t;

typedef struct stream_options {
    /** The file for JSON; NULL: none. */
    const char *json;
    /** Per thread and array; 0: chosen by the command. */
    size_t elements;
    size_t repetitions;
    /** Approximate seconds of a measurement; the most, where operations are counted. */
    double seconds;
    /** In a measurement. */
    size_t operations;
    /** Through gasnet.h as well, which then starts the job. */
    bool gasnet;
    /** A pgas_place_t, or -1: chosen by the command. */
    int place;
    /** Bytes of messages. */
    stream_list_t sizes;
    /** Numbers of messages in flight. */
    stream_list_t depths;
} stream_options_t;

/* One entry each for a command's table. */
#define STREAM_OPTION_JSON \
    { \
        "json", 'j', "FILE", 0, \
            "write the results there; '-' is standard output, in place of the table", 0 \
    }
#define STREAM_OPTION_REPETITIONS(number) \
    { \
        "repetitions", 'r', "COUNT", 0, \
            "repetitions; the table shows their median (default " number ")", 0 \
    }
#define STREAM_OPTION_ELEMENTS(text) \
    { \
        "elements", 'e', "COUNT", 0, text, 0 \
    }
#define STREAM_OPTION_SECONDS(number) \
    { \
        "seconds", 's', "SECONDS", 0, "about how long one measurement takes (default " number ")", \
            0 \
    }
#define STREAM_OPTION_OPERATIONS(number) \
    { \
        "operations", 'n', "COUNT", 0, \
            "operations of one measurement (default " number "); fewer where they would take " \
            "longer than --seconds", \
            0 \
    }
#define STREAM_OPTION_MOST_SECONDS(number) \
    { \
        "seconds", 's', "SECONDS", 0, \
            "about how long one measurement takes at most (default " number ")", 0 \
    }
#define STREAM_OPTION_GASNET \
    { \
        "gasnet", 'g', NULL, 0, "measure the same transfers through gasnet.h as well", 0 \
    }
#define STREAM_OPTION_PLACE(text) \
    { \
        "place", 'p', "PLACE", 0, text, 0 \
    }
#define STREAM_OPTION_SIZES \
    { \
        "sizes", 'z', "LIST", 0, "bytes of a message, separated by commas, up to 1 GiB", 0 \
    }
#define STREAM_OPTION_DEPTHS \
    { \
        "depths", 'd', "LIST", 0, \
            "messages in flight, separated by commas, up to 65535 (default 1,8,64)", 0 \
    }

/** The largest number of a list. */
size_t stream_list_largest(const stream_list_t *list);

/** Parses a command's options and starts the job. Options that are not given keep their values in
 *  `options`. Ends the program if pgas_init fails. */
void stream_options_start(const struct argp_option *table, const char *doc, int argc, char **argv,
                          stream_options_t *options);

/** Ends the job with one line if a place was requested in which some thread has no partner. */
void stream_options_demand_place(const stream_options_t *options);

/** The place of thread 0's partner: the requested place or, without a request, another node if
 *  there is one, else the same node. Ends the job with one line if thread 0 has no partner
 *  there. */
pgas_place_t stream_options_other_place(stream_options_t *options);

/** Ends the job that `options` have started; returns the exit status of main. */
int stream_options_finish(const stream_options_t *options);

#endif
