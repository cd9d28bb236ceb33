import { expect, test } from 'vitest';
import { createDocumentTasks, type DocumentTask } from './document-tasks.ts';

const noThreads = () => Promise.reject(new Error('A small document needs no thread.'));

test('small documents that come together are read in turns of their own', async () => {
  const documents = createDocumentTasks(noThreads);
  let turn = 0;
  let isOver = false;
  const count = () => {
    turn += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const costly: DocumentTask<string, number> = {
    name: 'costly',
    load: async () => () => {
      const sinceMs = performance.now();
      while (performance.now() - sinceMs < 6);
      return turn;
    },
  };
  const asker = { what: 'The document', share: 'a', bytes: 1 };
  const turns = await Promise.all([1, 2, 3].map(() => documents.run(costly, '', asker)));
  isOver = true;
  expect(new Set(turns).size).toBe(3);
});
