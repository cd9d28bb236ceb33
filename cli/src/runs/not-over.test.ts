import { expect, test } from 'vitest';
import { notOverText } from './not-over.ts';

test('a run that is late is reported with advice, in commands as they are called here', () => {
  expect(notOverText('ID', 90_000, { command: 'npx tutti' })).toBe(
    'tutti: Workflow ID is not over after 1 min 30 s, and goes on.\n' +
      'What to do: see how with "npx tutti workflows show ID", or end it with "npx tutti cancel ID".\n',
  );
});
