/** How runs that are followed are shown; also a default that users of a configuration may have. */
export const PROGRESSES = ['tree', 'line', 'plain', 'none'] as const;

/** `tree`: log and tree; `line`: log and one line; `plain`: the log alone; `none`: nothing until the end. */
export type Progress = (typeof PROGRESSES)[number];

/** What logs of build servers fold by. */
export type FoldingMarks = 'github' | 'gitlab' | 'azure';
