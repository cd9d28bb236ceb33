import type { Io } from '../terminal/io.ts';

/** Runs an action; its result becomes the exit code of the program. */
export type Act = (action: (io: Io) => Promise<number>) => Promise<void>;
