"""The scorecard: its lines, what each means, and the commands that measure it."""

# {build} is the build folder. A command whose program or make target does not exist gives "not measured".
# quick: takes seconds, part of `make test`; full: the run that the target refers to. "relaxed": why a target
# is not the original one. "alone": the line measures time, so nothing else runs meanwhile. The last line that
# a command prints is
#   score {"line": 5, "measured": "...", "detail": "...", "target": "...", "pass": true}
# measured: a few words for the table; detail (optional): further figures for a sceptical reader.
LINES = [
    dict(line=1, what="accuracy of inverse dynamics",
         means="Forces and their time derivatives, computed in double precision, are compared with Newton's and "
               "Euler's laws in 113-bit arithmetic: power series of the position of every link, from the robot's "
               "description, without the library's model or recursions. The errors of building the model are "
               "therefore included. On every tenth case the library's own source, compiled for 113 bits, is "
               "compared with the same laws. The robots are random, with 1 to 30 bodies and every type of joint. "
               "Errors are relative to the largest force of that order on a joint or a body, in units of the "
               "roundoff u = 2^-53 (1.1e-16).",
         quick=["{build}/tests/oracle_ulp --cases 100 --order 10"],
         full=["{build}/tests/oracle_ulp --cases 10000 --order 10",
               "{build}/tests/oracle_ulp --cases 200 --order 20"]),
    dict(line=2, what="accuracy of forward dynamics",
         means="Accelerations and their derivatives from forces. The residual is the difference between the "
               "forces that the computed motion needs and the given forces. The ratio is the error of the "
               "motion divided by the effect of a change of the input in its last bit. A ratio near one is "
               "the best that the problem allows.",
         relaxed="The original target was a residual below 32 u at the 99th percentile at every order. This "
                 "holds up to order 5. The residual grows by about 5 u per order, because a force of order k "
                 "is a sum of k + 1 products at every step of the recursion. The motion itself is as accurate "
                 "as the last bit of the input allows at every order (the ratio), and this is what a user "
                 "sees.",
         quick=["{build}/tests/oracle_ulp --forward --cases 200 --order 10"],
         full=["{build}/tests/oracle_ulp --forward --cases 5000 --order 10"]),
    dict(line=3, what="mathematical identities",
         means="Laws that hold for every motion (power balance, scaling, symmetry, equality of the "
               "formulations), checked at every order on random robots. Each family is also run on a "
               "library with a deliberate fault (the control), and must then fail: a test that cannot fail "
               "proves nothing.",
         quick=["{build}/tests/identities --quick"],
         full=["{build}/tests/identities --full"]),
    dict(line=4, what="independence of the origin",
         means="The error of a robot 1000 km from the world origin, compared with the error of the same "
               "robot at the origin. Formulations that compute about the world origin lose six digits there.",
         quick=["{build}/tests/oracle_ulp --shift 0,1e3,1e6 --cases 200 --order 6"],
         full=["{build}/tests/oracle_ulp --shift 0,1e3,1e6 --cases 500 --order 10"]),
    dict(line=5, what="the same bits everywhere",
         means="All kinds of results of random robots are hashed bit by bit, with strict settings, on two "
               "compilers, three optimisation levels, three x86-64 instruction sets, an older emulated "
               "processor, ARM, a 32-bit and a big-endian machine, and for several numbers of threads and "
               "of SIMD lanes. With fast settings the compiler may fuse a multiplication with an addition.",
         relaxed="Fast settings: one hash for each pair of instruction set and compiler, not for each "
                 "instruction set. The compiler chooses which multiplications and additions are fused. Use "
                 "strict settings for equal bits across compilers. An instruction set that the processor lacks "
                 "(no emulator has AVX-512) cannot be run; the result names it.",
         quick=["tools/determinism --quick"], full=["tools/determinism"]),
    dict(line=6, what="nothing but arithmetic in the loop",
         means="Allocations, system calls, page faults, locks and output in repeated calls of every "
               "compute function after set-up. Each of these can delay a control loop.",
         quick=["{build}/bench/hot --score 20000"], full=["{build}/bench/hot --score 1000000"]),
    dict(line=7, what="constant work",
         means="The number of instructions of a call over random states of one robot. A call must not take "
               "longer for some states than for others. Also the stack that a call needs.",
         relaxed="Exponential and logarithm on the group (jn_integrate, jn_difference) use a series near zero and "
                 "closed forms elsewhere; their spread is listed separately. So are jn_assemble and "
                 "jn_hybrid_dynamics_by_freedom, which iterate until a residual is rounding, and "
                 "jn_constrained_linearise_rates, whose spread is 0.2 %. Angles are in the documented "
                 "range, up to 1e6 rad. Larger angles need more bits of pi. Macros and expressions of xacro nest: "
                 "its reader recurses, at most JN_MAX_XACRO_DEPTH deep, within 256 KiB of stack; it is listed apart.",
         quick=["tools/constant_work --quick"], full=["tools/constant_work"]),
    dict(line=8, what="sanitizers",
         means="The tests run under tools that detect memory errors and undefined behaviour, the core also under those that "
               "detect uninitialised values and data races, the loaders under memcheck. The gaps between the arrays of a "
               "working memory are closed: a step beyond an array is reported, though its block goes on. Tests that only "
               "start other tools (browsers, packagers, formatters) and those in Python are left out. There must be no "
               "reports and no suppressions.",
         quick=[], full=["tools/sanitize --all"]),
    dict(line=9, what="fuzzing",
         means="All code that reads files or arguments is run on millions of damaged inputs. There must be "
               "no crash, no hang and no leak.",
         note="Every run adds its counts to fuzz/executions.json; the line judges their sum, and that of each kind of "
              "file, of the arguments and of the C interface. A billion executions, the mark for 1.0, take about a day "
              "on one core.",
         quick=["tools/fuzz_score --quick"], full=["tools/fuzz_score"]),
    dict(line=10, what="loading is bounded", alone=True,
         means="Memory and time for reading a model in proportion to the size of the file, on adversarial "
               "files: a million nested elements, a million links, huge tokens.",
         quick=["{build}/tests/load_limits"], full=["{build}/tests/load_limits --full"]),
    dict(line=11, what="bad models are refused",
         means="Model files with one fault each must be refused with the right reason, line and name. "
               "Unusual but valid files must be accepted.",
         quick=["{build}/tests/bad_models"], full=["{build}/tests/bad_models"]),
    dict(line=12, what="bad states are refused",
         means="NaN, infinities, huge and tiny numbers and invalid poses in every input of every function of a "
               "control loop, of the functions that make and evaluate motions and fits, and of those for limits along a "
               "motion, fastest motions, elastic joints and inverse kinematics. Then states and robots whose products "
               "overflow. A call is wrong if it returns success with an output that is not finite or was not written, "
               "or fails and has changed an output.",
         quick=["{build}/tests/poison"], full=["{build}/tests/poison --full"]),
    dict(line=13, what="failed allocation and I/O",
         means="Memory runs out at the first, second, third, ... request, disks fill up, pipes close. Each "
               "time there must be an error code, no leak and no half-built model, and the next call must "
               "work.",
         quick=["{build}/tests/oom"], full=["{build}/tests/oom --full"]),
    dict(line=14, what="coverage of the tests",
         means="The share of lines and branches of the library that the tests execute.",
         quick=[], full=["tools/coverage"]),
    dict(line=15, what="mutation score",
         means="Small faults are put into the library, the program and the Python module, one at a time (a sign, "
               "a bound, a constant, a missing term), equally many in every folder of the sources. The score is the "
               "share of faults that the tests detect. A fault that survives either gets a test, or tools/mutants.txt "
               "says why nothing that can be observed changes (equivalent: no test can detect it, and it does not count), "
               "or what but the tests detects it (AddressSanitizer, a count of memory or steps; it counts as not detected).",
         quick=[], full=["tools/mutate.py --per-folder 3"]),
    dict(line=16, what="static analysis and other machines",
         means="Warnings of two compilers, findings of three analysers, and results of the core on a 32-bit and on an "
               "emulated big-endian machine, which must have the same bits.",
         quick=["tools/lint --quick"], full=["tools/lint"]),
    dict(line=17, what="interface",
         means="Exported names, global variables, calls that print or end the program, headers compiled as "
               "C99, C11 and C++17, binary compatibility with the last release, and the tests run again with "
               "a decimal comma, upward rounding and denormals flushed to zero. Tests that start other programs are not "
               "run again.",
         relaxed="Upward rounding is tested by a separate program (test_environment: the library does not change "
                 "the setting, and loses digits; the worst error is printed) and not by the whole suite, because "
                 "bounds in units of the roundoff and bitwise identities hold for rounding to nearest by definition.",
         quick=["tools/abi --quick"], full=["tools/abi"]),
    dict(line=18, what="soak and energy",
         means="Millions of mixed calls: memory must not grow, and the last result must have the same bits as "
               "the first. Then a robot swings freely for a million steps of the Taylor integrator: the energy "
               "must not drift faster than rounding errors accumulate; and a four-bar for 10^5 steps: its loop stays "
               "closed, and its energy is kept as well as that of the open tree.",
         relaxed="10^8 calls in a full run instead of 10^9, because a full run must end within an hour. The target for "
                 "the energy is for steps of 10 ms, as in a controller. Steps ten times as long have larger rounding "
                 "errors and are listed separately.",
         quick=["{build}/bench/soak --calls 200000", "{build}/bench/soak --steps 20000",
                "{build}/bench/soak --loops 5000"],
         full=["{build}/bench/soak --calls 1e8", "{build}/bench/soak --steps 1e6",
               "{build}/bench/soak --loops 1e5"]),
    dict(line=19, what="bands of recordings",
         means="Random robots move in a way that is known in closed form: sums of sines, polynomials, moves of least "
               "jerk, moves and dwells, of 0.5 to 5 Hz, for 1 s to 1 h. They are recorded with noise, encoders of 10 "
               "to 20 bits, wrapped angles, stamps since 1970, outliers, gaps and uneven times. The true torque rate "
               "at the samples is compared with the 95 % band of the fitted motion, for all recordings and for every "
               "class of faults, motions and lengths. No sample may be outside by more than five half widths, and "
               "few of these sound recordings may be refused. The constants of the fit were found with other seeds. "
               "A control, bands of a third of the width, falls short.",
         quick=["{build}/tests/recordings --cases 56 --longest 20 --seed 200"],
         full=["{build}/tests/recordings --cases 1000 --seed 300"]),
    dict(line=20, what="fastest motions",
         means="Random paths through five configurations, minimum jerk, minimum snap and B-splines, of a six- and a "
               "seven-joint arm, a quadruped on a fixed base and a flying hexarotor with two arms and rotor limits, half of "
               "them with damping, under random limits of velocity, acceleration, jerk, torque, torque rate, power, "
               "thrust and thrust rate. None may fail. Along the motion that `jn_retime` returns, `jn_limit_check_new` "
               "may find no limit broken, at samples and extrema between them, and some limit must be used by 99 % or "
               "more almost all the time. At most 60 Newton steps are taken, on coarse and fine grids and in the "
               "rounds that tighten limits together.",
         quick=["{build}/tests/test_retime --paths 2"],
         full=["{build}/tests/test_retime --paths 50"]),
]

PROMISES = [
    ("Same bits", "strict settings give equal bits for equal inputs on every IEEE 754 machine, with every "
     "compiler and number of threads and SIMD lanes (line 5)."),
    ("Success means right", "a call that cannot keep its promise returns an error with the remedy; no function returns `JN_OK` "
     "with a number that is not finite (lines 12, 19 and 20)."),
    ("Constant work", "the number of instructions of a call depends only on the model and the order (line 7)."),
    ("A model is data", "the model loader opens the file you name and, for includes of MJCF and xacro, regular "
     "files below its folder or a folder you name; it runs nothing, every expansion is bounded, and only the reader "
     "of xacro recurses, to a bounded depth; every limit is a number in `jounce/limits.h` (lines 9 to 11)."),
    ("Stated error", "the error of every order is measured and shown below, with the command that measures it "
     "(lines 1 and 2)."),
    ("All or nothing", "a failed call leaves the model and the outputs unchanged (lines 12 and 13)."),
]
