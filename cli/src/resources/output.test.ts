import { expect, test } from 'vitest';
import { readOutput } from './output.ts';

test.each(['table', 'wide', 'json', 'yaml', 'name'])('%s is a form', (kind) => {
  expect(readOutput(kind)).toEqual({ kind });
});

test('columns of users have a title and a path each', () => {
  expect(readOutput('custom-columns=ID:.metadata.workflow_id,JOBS:jobs.*~')).toEqual({
    kind: 'custom-columns',
    columns: [
      { title: 'ID', path: ['metadata', 'workflow_id'] },
      { title: 'JOBS', path: ['jobs', '*~'] },
    ],
  });
});

test.each([
  ['xml', '-o takes table, wide, json, yaml, name and custom-columns=TITLE:path,..., not "xml".'],
  ['custom-columns=', 'Not a column: "". It is a title, a colon and a path.'],
  ['custom-columns=ID', 'Not a column: "ID". It is a title, a colon and a path.'],
  ['custom-columns=:a', 'Not a column: ":a". It is a title, a colon and a path.'],
  ['custom-columns=A:a,B:', 'Not a column: "B:". It is a title, a colon and a path.'],
])('"%s" is refused', (text, message) => {
  expect(() => readOutput(text)).toThrow(message);
});
