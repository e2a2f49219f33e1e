"""The scorecard: its lines, what each means, and the commands that measure it."""

# {build} is the build folder. A command whose program or make target is not there yet gives "not measured".
# quick: seconds, part of `make test`; full: what the target is stated for. "relaxed": why a target is not
# the one first set. "alone": it measures time, so that nothing runs beside it. A command ends its output with
#   score {"line": 5, "measured": "...", "detail": "...", "target": "...", "pass": true}
# measured: a few words for the table; detail (may be missing): what a sceptical reader asks next.
LINES = [
    dict(line=1, what="accuracy of inverse dynamics",
         means="Forces and their time derivatives, computed in double precision, against the same "
               "equations solved in 113-bit arithmetic by two independent routes: random robots of 1 to "
               "30 bodies with every type of joint. Errors are relative to the largest force of that "
               "order on a joint or a body, in units of rounding, u = 2^-53 (1.1e-16).",
         quick=["{build}/tests/oracle_ulp --cases 100 --order 10"],
         full=["{build}/tests/oracle_ulp --cases 10000 --order 10",
               "{build}/tests/oracle_ulp --cases 200 --order 20"]),
    dict(line=2, what="accuracy of forward dynamics",
         means="Accelerations and their derivatives from forces. Residual: the forces that the computed "
               "motion needs, against those given. Ratio: the error of the motion against what a change "
               "of the input in its last bit does; a ratio near one is as good as the problem allows.",
         relaxed="The residual was to stay below 32 u at the 99th percentile at every order. It does to "
                 "order 5 and grows with the order, about 5 u an order, as a force of order k is a sum of "
                 "k + 1 products at every step of the recursion. The motion itself is as good as the last "
                 "bit of the input allows at every order (the ratio), which is what a user sees.",
         quick=["{build}/tests/oracle_ulp --forward --cases 100 --order 10"],
         full=["{build}/tests/oracle_ulp --forward --cases 5000 --order 10"]),
    dict(line=3, what="mathematical identities",
         means="Laws that must hold whatever the robot does (power balance, scaling, symmetry, one "
               "formulation against another), checked at every order on random robots. Each family is "
               "also run with a fault planted, and must then fail: a test that cannot fail proves "
               "nothing.",
         quick=["{build}/tests/identities --quick"],
         full=["{build}/tests/identities --full"]),
    dict(line=4, what="independence of the origin",
         means="The error of a robot 1000 km from the map's origin against that of the same robot at the "
               "origin. Formulations that compute about the world's origin lose six digits there.",
         quick=["{build}/tests/oracle_ulp --shift 0,1e3,1e6 --cases 40 --order 6"],
         full=["{build}/tests/oracle_ulp --shift 0,1e3,1e6 --cases 500 --order 10"]),
    dict(line=5, what="the same bits everywhere",
         means="With strict settings, every kind of result of random robots, hashed bit by bit: two "
               "compilers, three levels of optimisation, three x86-64 instruction sets, an older "
               "emulated processor, ARM, 32 bits and a big-endian machine, several numbers of threads and "
               "of states in a register. With fast settings the compiler may fuse a multiplication with "
               "an addition.",
         relaxed="Fast settings: one hash for each instruction set and compiler, not for each instruction "
                 "set alone. Which multiplications and additions are fused is the compiler's choice; who "
                 "needs equal bits across compilers uses strict settings.",
         quick=["tools/determinism --quick"], full=["tools/determinism"]),
    dict(line=6, what="nothing but arithmetic in the loop",
         means="Allocations, system calls, page faults, locks and output in repeated calls of every "
               "compute function after set-up: what can make a control loop late.",
         quick=["{build}/bench/hot --score 20000"], full=["{build}/bench/hot --score 1000000"]),
    dict(line=7, what="constant work",
         means="Instructions of a call over random states of one robot: a call must not take longer for "
               "some states than for others. And the stack it needs.",
         relaxed="Exponential and logarithm on the group (jn_integrate, jn_difference) take a series near zero and "
                 "closed forms elsewhere; their spread is given beside the others'. Angles are those of the "
                 "documented range, up to 1e6 rad: beyond it more bits of pi are taken.",
         quick=["tools/constant_work --quick"], full=["tools/constant_work"]),
    dict(line=8, what="sanitizers",
         means="The tests under tools that watch memory, undefined behaviour, uninitialised values and "
               "races between threads. No report, and none suppressed.",
         quick=[], full=["tools/sanitize --all"]),
    dict(line=9, what="fuzzing",
         means="Everything that reads a file or an argument, fed with damaged input by the million: no "
               "crash, no hang, no leak.",
         note="A billion executions are about a week of one core. Every run adds its own to fuzz/executions.json; "
              "until the sum is there the line falls short, whatever else holds.",
         quick=["tools/fuzz_score --quick"], full=["tools/fuzz_score"]),
    dict(line=10, what="loading is bounded", alone=True,
         means="Memory and time of reading a model against the size of the file, over files made to hurt: "
               "a million nested elements, a million links, huge tokens.",
         quick=["{build}/tests/load_limits"], full=["{build}/tests/load_limits --full"]),
    dict(line=11, what="bad models are refused",
         means="Model files with one fault each: refused with the right reason, line and name. And odd "
               "but valid ones: accepted.",
         quick=["{build}/tests/bad_models"], full=["{build}/tests/bad_models"]),
    dict(line=12, what="bad states are refused",
         means="NaN, infinities, huge and tiny numbers and poses that are none, in every input of every "
               "function: calls that return success with an output that is not finite or not new.",
         quick=["{build}/tests/poison"], full=["{build}/tests/poison --full"]),
    dict(line=13, what="failed allocation and I/O",
         means="Memory runs out at the first, second, third, ... request, disks fill up, pipes close: an "
               "error code, nothing leaked, nothing half-built, and the next call works.",
         quick=["{build}/tests/oom"], full=["{build}/tests/oom --full"]),
    dict(line=14, what="coverage of the tests",
         means="Lines and branches of the library that the tests run.",
         quick=[], full=["tools/coverage"]),
    dict(line=15, what="mutation score",
         means="Small faults put into the library on purpose, one at a time (a sign, a bound, a constant, "
               "a missing term): how many the tests notice.",
         quick=[], full=["tools/mutate.py --count 100"]),
    dict(line=16, what="static analysis and other machines",
         means="Warnings of two compilers, findings of three analysers; the core's tests on 32 bits and "
               "on an emulated big-endian machine.",
         quick=["tools/lint --quick"], full=["tools/lint"]),
    dict(line=17, what="interface",
         means="What the library shows and touches: names, globals, calls that print or end the program, "
               "headers as C99, C11 and C++17, binary compatibility with the last release, and the tests "
               "again with a decimal comma, upward rounding and denormals flushed to zero.",
         relaxed="Upward rounding is tested by a program of its own (test_environment: the library leaves the "
                 "setting alone and loses digits, the worst error is printed), not by the whole suite: bounds in "
                 "units of rounding and bitwise identities hold for rounding to nearest by definition.",
         quick=["tools/abi --quick"], full=["tools/abi"]),
    dict(line=18, what="soak and energy",
         means="Mixed calls by the million: memory must not grow and the last result must have the bits "
               "of the first. And a robot that swings freely for a million steps of the Taylor "
               "integrator: the energy must not drift faster than rounding makes it.",
         relaxed="10^8 calls in a full run, not 10^9: a full run must end within an hour. The energy is judged in steps "
                 "of 10 ms, as a controller takes them; steps ten times as long round more, and are given beside.",
         quick=["{build}/bench/soak --calls 200000", "{build}/bench/soak --steps 20000"],
         full=["{build}/bench/soak --calls 1e8", "{build}/bench/soak --steps 1e6"]),
]

PROMISES = [
    ("Same bits", "strict settings give equal bits for equal inputs on every IEEE 754 machine, compiler, "
     "number of threads and of lanes (line 5)."),
    ("Success means finite", "no function returns `JN_OK` with a number that is not finite (line 12)."),
    ("Constant work", "the instructions of a call depend on the model and the order alone (line 7)."),
    ("A model is data", "the loader opens the one file you name, follows no path in it, runs nothing, "
     "expands nothing and never recurses; every limit is a number in `jounce/limits.h` (lines 9 to 11)."),
    ("Stated error", "the error of every order is measured and printed below, by the command that made it "
     "(lines 1 and 2)."),
    ("All or nothing", "a failed call leaves the model and the outputs as they were (lines 12 and 13)."),
]
