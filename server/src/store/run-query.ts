/** Bounds and patterns of lists of runs, for the readers of all stores. */

/** The usual duration of a run is that of some runs of its name, among the newest. */
export const RECENT_LIMITS = { durations: 20, looks: 100 } as const;

/** A pattern of SQL for texts that contain this one. Its escape character is the backslash. */
export const likePattern = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`;
