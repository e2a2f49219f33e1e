/* limits.h: every limit of the library. Exceeding one gives JN_ERR_LIMIT, never a crash. */
#ifndef JOUNCE_LIMITS_H
#define JOUNCE_LIMITS_H

#define JN_MAX_BODIES 1000000           /* links in a model */
#define JN_MAX_FRAMES 1000000           /* named frames in a model, links not counted */
#define JN_MAX_CONSTRAINTS 10000        /* constraints in a model */
#define JN_MAX_TERMS 100                /* terms of a coupling */
#define JN_MAX_COUPLED 1000             /* degrees of freedom of a tree with eliminated joints */
#define JN_MAX_RATIO 1e6                /* ratio of an eliminated joint */
#define JN_MAX_ROTORS 32                /* rotors of a model */
#define JN_MAX_NAME 255                 /* bytes in a name */
#define JN_MAX_ORDER 1000               /* order of a jn_data (convolutions cost O(order^2)) */
#define JN_MAX_THREADS 1024             /* threads of a batch */
#define JN_MAX_FILE (64 * 1024 * 1024)  /* bytes in a file; JOUNCE_MAX_FILE (MiB) replaces it */
#define JN_MAX_FILE_RAISED 1024         /* MiB: the largest JOUNCE_MAX_FILE in the environment */
#define JN_MAX_XML_DEPTH 64             /* nesting of XML elements */
#define JN_MAX_XML_ATTRIBUTES 64        /* attributes of one XML element */
#define JN_MAX_XML_NAMES 10000          /* distinct names of elements and attributes */
#define JN_MAX_XML_MARKUP (1024 * 1024) /* bytes of one XML tag or comment */
#define JN_MAX_XML_ELEMENTS 100000      /* elements of MJCF that are kept, of all its files */
#define JN_MAX_MJCF_DEPTH 1000          /* nesting of MJCF elements: a chain of bodies is nested */
#define JN_MAX_MJCF_CLASSES 1000        /* default classes */
#define JN_MAX_XACRO_DEPTH 1000         /* nesting of xacro: elements, macros, expressions */
#define JN_MAX_XACRO_WORK 20000000      /* steps of the expansion of xacro */
#define JN_MAX_XACRO_HEAP (64 * 1024 * 1024) /* bytes of the expansion of xacro */
#define JN_MAX_INCLUDES 256          /* files that a model file includes; together JN_MAX_FILE */
#define JN_MAX_INCLUDE_DEPTH 16      /* includes within includes */
#define JN_MAX_JSON_DEPTH 64         /* nesting of JSON values */
#define JN_MAX_JSON_KEYS 100000      /* keys of one JSON object */
#define JN_MAX_JSON_HEAP 2147483648u /* bytes of the values of a JSON text, estimated */
#define JN_MAX_PATH 512              /* bytes of a file name in a jn_error */
#define JN_MAX_MESSAGE 1024          /* bytes of a message in a jn_error */
#define JN_MAX_FINDINGS 10000        /* findings kept by a lint run */
#define JN_MAX_IMPLICIT 1000         /* degrees of freedom of an implicit step, with motors */
#define JN_MAX_DEGREE 100            /* degree of a trajectory's polynomial */
#define JN_MAX_SPLINE 31             /* degree of a spline; jn_trajectory_minimum: 16 */
#define JN_MAX_ROTATIONS 500         /* rotations of a spline on SO(3) */
#define JN_MAX_INTERVALS 1000000     /* intervals of u(t) in jn_retime */
#define JN_MAX_SAMPLES 10000000      /* rows of a table, samples of a fit */
#define JN_MAX_COLUMNS 10000         /* columns of a table */
#define JN_MAX_GENERATE_NAME 40      /* bytes of the name of generated code */
#define JN_MAX_GENERATE_LINKS 200    /* links of a robot whose code is generated */
#define JN_MAX_GENERATE_INVERSE 5    /* order of generated inverse dynamics */
#define JN_MAX_GENERATE_FORWARD 5    /* order of generated forward dynamics */
#define JN_MAX_GENERATE_PARTIALS 3   /* order of generated partial derivatives */
#define JN_MAX_GENERATE_KINEMATICS 5 /* order of twists in generated kinematics */
#define JN_MAX_SWEEP_SAMPLES 1e12    /* samples of a sweep */
#define JN_MAX_SWEEP_SHARDS 1000000  /* files of a sweep */
#define JN_MAX_SWEEP_PARAMETERS 1000 /* parameters of a sweep */
#define JN_MAX_SWEEP_INSTANTS 10000  /* instants of the motion of a sample */
#define JN_MAX_SWEEP_BINS 10000      /* bins of a histogram */

/* A table from a file needs at most JN_MAX_TABLE_FACTOR bytes for each byte of the file, and
 * JN_MAX_TABLE_HEAP besides. So does the motion that a file describes, whose making takes at most
 * JN_MAX_MOTION_RATE operations for each byte, and JN_MAX_MOTION_WORK besides. A table of samples
 * that is fitted, and a description with fits, may ask for JN_MAX_FIT_FACTOR bytes for each. */
#define JN_MAX_TABLE_FACTOR 24
#define JN_MAX_TABLE_HEAP 983040
#define JN_MAX_MOTION_FACTOR 12
#define JN_MAX_FIT_FACTOR 128
#define JN_MAX_MOTION_HEAP (7 * 1024 * 1024)
#define JN_MAX_MOTION_RATE 2000.0
#define JN_MAX_MOTION_WORK 2e9

/* A rotation is refused when |R^T R - 1| or ||quat|^2 - 1| exceeds this, else normalised. */
#define JN_ROTATION_TOLERANCE 1e-6

/* Orders of kernels for many states (jounce/gpu.h); of forward dynamics without loops over orders, for
 * any robot, and of roll-outs. */
#define JN_MAX_KERNEL_ORDER 100
#define JN_MAX_KERNEL_FORWARD 2

#endif
