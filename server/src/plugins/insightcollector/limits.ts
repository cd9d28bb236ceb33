/** Bounds of the insight collector. */
export const COLLECTOR_LIMITS = {
  /** A document of definitions, in bytes; a report with many sections takes some kilobytes. */
  definitionBytes: 512 * 1024,
  /** A pattern of names, in characters: as long as a name may be. */
  patternLength: 256,
} as const;
