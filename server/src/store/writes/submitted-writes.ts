/** Writes of a store, as operations of its queue. */
import type { Store } from '../store.ts';
import { appendSize, writeSize } from './operation-size.ts';
import type { WriteQueue } from './write-queue.ts';

export const submittedWrites = (submit: WriteQueue['submit']): Pick<Store, 'append' | 'write'> => ({
  append: async (append) => {
    const answer = await submit({ kind: 'append', append }, appendSize(append));
    const { outcome } = answer;
    if (outcome === 'appended' || outcome === 'conflict') return { outcome, seq: answer.seq };
    throw new Error(`The writer answered an append with '${outcome}'.`);
  },
  write: async (write) => {
    await submit({ kind: 'write', write }, writeSize(write));
  },
});
