/** Displays of followed runs. The configuration can name the default. */
export const PROGRESSES = ['tree', 'line', 'plain', 'none'] as const;

/** `tree`: log and tree; `line`: log and one line; `plain`: the log alone; `none`: nothing until the end. */
export type Progress = (typeof PROGRESSES)[number];

/** Build servers whose logs have folding marks. */
export type FoldingMarks = 'github' | 'gitlab' | 'azure';
