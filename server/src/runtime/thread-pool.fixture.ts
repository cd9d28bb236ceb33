/** A thread with tasks of any cost, for tests. */
import { OrchestratorError } from '@tutti/manifests';
import { answerTasks } from './answer-tasks.ts';

const hold = (): never => {
  for (;;);
};

const fill = (): number => {
  const all: string[][] = [];
  for (;;) all.push(Array.from({ length: 10_000 }, (_, index) => `${index} of ${all.length}`));
};

const refuse = (why: string): never => {
  throw new OrchestratorError('Invalid', why, { details: { error: why } });
};

const task = (name: string, carryOut: (input: never) => unknown) => ({
  name,
  load: async () => carryOut,
});

answerTasks([
  task('double', (input: number) => input * 2),
  task('bytes', (input: number) => ({ size: input, bytes: new Uint8Array(input) })),
  task('hold', hold),
  task('fill', fill),
  task('refuse', refuse),
]);
