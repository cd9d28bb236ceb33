import { expect, test } from 'vitest';
import { meantPath, pathText } from './meant-path.ts';
import { valuePath } from './value-path.ts';

const ITEMS = [
  { metadata: { name: 'a', labels: { 'example.org/team': 'web' } }, jobs: { one: { steps: [] } } },
  { metadata: { name: null }, status: { phase: 'DONE' } },
];

test.each([
  ['metadata.nmae', 'metadata.name'],
  ['metdata.nmae', 'metadata.name'],
  ['metadata.labels[example.org/taem]', 'metadata.labels[example.org/team]'],
  ['status.Phase', 'status.phase'],
  ['job.*~', 'jobs.*~'],
  ['jobs.*.step', 'jobs.*.steps'],
  ['metadata.name', null],
  ['status.phase', null],
  ['jobs.*~', null],
  ['variables.BRANCH', null],
  ['metadata.labels.owner', null],
])('instead of the path %s, %s is suggested', (text, meant) => {
  const found = meantPath(ITEMS, valuePath(text) ?? []);
  expect(found === null ? null : pathText(found)).toBe(meant);
});
