import { expect, test } from 'vitest';
import { resolveId } from './resolve-id.ts';

const IDS = [
  '0a6f4b1e-0000-4000-8000-000000000001',
  '0a6f4b1e-0000-4000-8000-000000000002',
  'b1c2d3e4-0000-4000-8000-000000000003',
];
const source = (ids: () => Promise<readonly string[]>) => ({
  noun: 'agent',
  listCommand: 'tutti agents',
  ids,
});
const known = source(async () => IDS);

test('a whole id is used without a request', async () => {
  const asked = source(() => Promise.reject(new Error('was asked')));
  const id = '99999999-0000-4000-8000-000000000009';
  expect(await resolveId(id, asked)).toBe(id);
});

test.each(['b', 'b1c2', 'B1C2', 'b1c2d3e4-0000'])('%s is the one that begins so', async (text) => {
  expect(await resolveId(text, known)).toBe(IDS[2]);
});

test.each([
  ['xyz', 'Not the id of an agent: "xyz".'],
  ['', 'Not the id of an agent: "".'],
  ['c', 'No agent has an id that begins with "c".'],
  ['0a6f', `2 ids begin with "0a6f": ${IDS[0]}, ${IDS[1]}.`],
])('"%s" is refused', async (text, message) => {
  await expect(resolveId(text, known)).rejects.toThrow(message);
});
