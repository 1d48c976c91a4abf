#include "support/progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum {
    BAR_WIDTH = 40
};

static const double quiet_seconds = 2.0;
static const double redraw_seconds = 0.1;

static struct {
    const char *label;
    size_t total;
    double start;
    double drawn;
    int active;
    int visible;
} bar;

static double now_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void progress_begin(const char *label, size_t total)
{
    bar.label = label;
    bar.total = total;
    bar.start = now_seconds();
    bar.drawn = bar.start;
    bar.visible = 0;
    bar.active = isatty(STDERR_FILENO);
}

void progress_update(size_t done)
{
    if (!bar.active)
        return;
    double now = now_seconds();
    if (now - bar.start < quiet_seconds || now - bar.drawn < redraw_seconds)
        return;
    bar.drawn = now;
    bar.visible = 1;
    if (bar.total == 0) {
        fprintf(stderr, "\r%s  %.0f s\033[K", bar.label, now - bar.start);
    } else {
        double part = done < bar.total ? (double)done / (double)bar.total : 1.0;
        int filled = (int)(part * BAR_WIDTH);
        fprintf(stderr, "\r%s  [%.*s%.*s] %3.0f %%  %.0f s\033[K", bar.label, filled,
                "########################################", BAR_WIDTH - filled,
                "........................................", 100.0 * part, now - bar.start);
    }
    fflush(stderr);
}

void progress_end(void)
{
    if (bar.visible)
        fprintf(stderr, "\r\033[K");
    bar.active = 0;
    bar.visible = 0;
}
