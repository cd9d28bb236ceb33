import type { ReplicaReport } from '@tutti/server';
import { expect, test } from 'vitest';
import { replicasSection } from './replicas-section.ts';
import { sectionLines } from './section.ts';

const ONE: ReplicaReport = {
  address: '10.0.3.7:7784',
  version: '1.0.0',
  isActive: true,
  isAlive: true,
  isReached: true,
  key: 'a',
  settings: 'b',
};
const TWO = { ...ONE, address: '10.0.3.8:7784', isActive: false };

function linesOf(...replicas: readonly ReplicaReport[]): readonly string[] {
  const section = replicasSection(replicas);
  return section === null ? [] : sectionLines(section);
}

test('a server alone has no replicas', () => {
  expect(linesOf()).toEqual([]);
});

test('replicas that are well are listed, with the one that is active', () => {
  expect(linesOf(ONE, TWO)).toEqual([
    'Replicas',
    '  ok      10.0.3.7:7784 is active, with version 1.0.0',
    '  ok      10.0.3.8:7784 waits, with version 1.0.0',
  ]);
});

test.each([
  ['a replica that is silent', { ...TWO, isAlive: false }, '  look    10.0.3.8:7784 sent no'],
  ['one that is not reached', { ...TWO, isReached: false }, '  look    10.0.3.8:7784 does not an'],
  ['another version', { ...TWO, version: '1.1.0' }, '  look    they have several versions: 1.0'],
  ['another key', { ...TWO, key: 'c' }, '  WRONG   they have different keys'],
  ['other settings', { ...TWO, settings: 'c' }, '  look    they have different settings'],
])('%s is named, with what to do', (_what, other, line) => {
  const lines = linesOf(ONE, other);
  const at = lines.findIndex((each) => each.startsWith(line));
  expect(lines[at], lines.join('\n')).toBeDefined();
  expect(lines[at + 1]).toMatch(/^ {10}What to do: /);
});

test('it is wrong if none is active, or the active one is silent', () => {
  const problem = '  WRONG   no replica is active';
  expect(linesOf(TWO)).toContain(problem);
  expect(linesOf({ ...ONE, isAlive: false }, TWO)).toContain(problem);
});
