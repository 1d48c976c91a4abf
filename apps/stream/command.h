/**
 * The commands of fathom-stream: each parses its options before the job starts, runs, and reports.
 */
#ifndef STREAM_COMMAND_H
#define STREAM_COMMAND_H

/** Runs a command. `argv[0]` is its title for messages. Returns the exit status. */
int command_stream(int argc, char **argv);
int command_shared(int argc, char **argv);
int command_pingpong(int argc, char **argv);
int command_random(int argc, char **argv);
int command_latency(int argc, char **argv);
int command_flood(int argc, char **argv);
int command_calibrate(int argc, char **argv);

#endif
