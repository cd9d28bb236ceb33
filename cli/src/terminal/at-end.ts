/** Closes the resources of a command at its end, however it ends. */
import type { Io } from './io.ts';

const opened = new WeakMap<Io, (() => Promise<void>)[]>();

export function closeAtEnd(io: Io, close: () => Promise<void>): void {
  opened.set(io, [...(opened.get(io) ?? []), close]);
}

/** The last one first. */
export async function closeOpened(io: Io): Promise<void> {
  for (const close of (opened.get(io) ?? []).toReversed()) await close();
  opened.delete(io);
}
