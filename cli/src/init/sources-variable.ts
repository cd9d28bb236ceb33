/** The variable that says where the sources are: a run on the own machine has the directory that it was started in. */
export const SOURCES_VARIABLE = 'TUTTI_SOURCE_DIR';
