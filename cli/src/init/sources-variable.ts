/** The variable with the place of the sources, and how paths stand in it. */

/** For a local run, the directory in which it was started. */
export const SOURCES_VARIABLE = 'TUTTI_SOURCE_DIR';

/**
 * A path for `working-directory` and for variables, whose signs the shell expands: the name of a folder is no command. The shell of
 * Windows has no such signs, and takes a doubled backslash as one.
 */
export const unexpanded = (path: string): string => path.replace(/[\\$`]/g, '\\$&');
