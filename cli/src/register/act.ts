import type { Io } from '../terminal/io.ts';

/** Has a command act: what it resolves with is the exit code of the program. */
export type Act = (action: (io: Io) => Promise<number>) => Promise<void>;
