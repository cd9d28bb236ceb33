/** Bounds of the expression language. Expressions come from anybody who may start a run, so each has a named limit. */

/** Longest expression, in characters. */
export const EXPRESSION_LENGTH_MAX = 16 * 1024;
/** Deepest nesting of an expression, of a value to interpolate and of what `fromJSON` reads or a text shows. */
export const DEPTH_MAX = 100;
/** Longest text that an expression gives, and most text that the expressions of one text insert, in characters. */
export const RESULT_LENGTH_MAX = 64 * 1024;
/** Longest pattern on the right of `~=`, in characters. */
export const PATTERN_LENGTH_MAX = 256;
/** Longest text on the left of `~=`, in characters. */
export const SUBJECT_LENGTH_MAX = 16 * 1024;
/** Most states of a compiled pattern; counted repetitions such as `{50}` multiply them. */
export const PATTERN_STATES_MAX = 2000;
/**
 * Most steps of the evaluations that share a budget. A step takes about a nanosecond. So all expressions of a step of a workflow take some
 * milliseconds. A thousand jobs that begin together take some seconds. Each copied or searched character is a step. So the outputs
 * of a step, which may be a mebibyte, can be used several times.
 */
export const STEPS_MAX = 5_000_000;

/** Most parsed expressions (and, apart, compiled patterns) kept for the next evaluation. */
export const CACHE_SIZE_MAX = 256;
/** Longest expression that is kept; 256 of them take at most a few megabytes. */
export const CACHED_LENGTH_MAX = 1024;
