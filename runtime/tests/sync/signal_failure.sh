#!/bin/bash
# Every rule of pgas/signal.h, broken once: the job ends with one line that names the call, though
# the others wait for signals. So does a job whose sender is killed.
#
# usage: signal_failure.sh FATHOM-RUN RUNTIME-SIGNAL-FAIL
# shellcheck source=runtime/tests/job/failure.bash
source "$(dirname "$0")/../job/failure.bash"
said='^fathom: thread THREAD on .+: '

rules 2

broken early "${said}pgas_signal_wait: called before pgas_init\$"
broken handler_put "${said}pgas_put_signal: called in a handler of active messages\$"
broken handler_wait "${said}pgas_signal_wait: called in a handler of active messages\$"
broken handler_until "${said}pgas_wait_until: called in a handler of active messages\$"
broken unaligned "${said}pgas_put_signal: a signal at offset [0-9]+ of thread [01], which is not aligned\$"
broken null "${said}pgas_put_signal: 8 bytes at thread 0, offset 0: the null pointer\$"
broken outside "${said}pgas_put_signal: 8 bytes at thread [01], offset [0-9]+: beyond the end of its segment\$"
broken place "${said}pgas_put_signal: 8 bytes at thread [01], offset [0-9]+: beyond the end of its segment\$"
broken threads "${said}pgas_put_signal_async: the data go to thread [01], the signal to thread [01]\$"
broken operation "${said}pgas_put_signal: operation 2 on a signal: there is none such \(pgas/signal\.h\)\$"
broken comparison "${said}pgas_signal_test: comparison 6: there is none such \(pgas/signal\.h\)\$"
broken private "${said}pgas_signal_wait: 1 signals at 0x[0-9a-f]+: not aligned, or not in the segment of this thread\$"
broken several "${said}pgas_signal_wait_any: 1099511627776 signals at 0x[0-9a-f]+: not aligned, or not in the segment of this thread\$"
broken until "${said}pgas_wait_until: address 0x[0-9a-f]+ is null or not aligned\$"
broken killed '^fathom-run: thread THREAD \(pid [0-9]+ on .+\) was killed by signal 9 \(Killed\); the job is ended$' 137
[ "$failures" -eq 0 ] || exit 1
echo "all passed; the slowest job took $slowest ticks"
