/** The variable with the place of the sources: for a local run, the directory in which it was started. */
export const SOURCES_VARIABLE = 'TUTTI_SOURCE_DIR';
