/**
 * The commands of fathom-stream: each parses its options before the job starts, runs, and reports.
 */
#ifndef STREAM_COMMAND_H
#define STREAM_COMMAND_H

/** Runs a command. `argv[0]` is its title for messages. Returns the exit status. */
int command_calibrate(int argc, char **argv);

#endif
