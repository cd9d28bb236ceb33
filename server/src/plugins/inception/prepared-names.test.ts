import type { JobId } from '@tutti/manifests';
import { expect, test } from 'vitest';
import { PreparedNames } from './prepared-names.ts';

const job = (name: string) => name as JobId;
const A = job('a');
const B = job('b');
const isXml = (name: string) => name.endsWith('.xml');

/** Prepares, by job, or attaches; in this order. */
function noted(...steps: readonly (readonly [JobId, string])[]): PreparedNames {
  const names = new PreparedNames();
  for (const [jobId, script] of steps) names.note(jobId, [script]);
  return names;
}

const prepare = (...names: readonly string[]) =>
  names.map((name) => `# ::inception file=for ${name}::${name}`).join('\n');
const ATTACH = 'for tutti_report in *.xml; do\n  echo "::attach::$tutti_report"\ndone';

const found = (names: PreparedNames, jobId: JobId) => [...names.fitting(jobId, isXml).keys()];

test('a name is the file that the job prepared last, before those of others', () => {
  const names = noted(
    [A, '# ::inception file=first::x.xml'],
    [A, '# ::inception file=second::x.xml'],
    [B, '# ::inception file=other::x.xml'],
  );
  expect(names.named(A, 'x.xml')).toBe('second');
  expect(names.named(B, 'x.xml')).toBe('other');
  expect(names.named(job('c'), 'x.xml')).toBe('other');
  expect(names.named(A, 'y.xml')).toBeNull();
});

test('a pattern finds what the job prepared, in one step or in several', () => {
  const names = noted([A, prepare('1.xml', '2.txt')], [A, prepare('3.xml')]);
  expect(found(names, A)).toEqual(['1.xml', '3.xml']);
});

test('a pattern finds nothing that another job prepared, unless the job itself prepared nothing that fits', () => {
  const names = noted([A, prepare('a.xml')], [B, prepare('b.xml')]);
  expect(found(names, A)).toEqual(['a.xml']);
  expect(found(names, B)).toEqual(['b.xml']);
  expect(found(names, job('c'))).toEqual(['a.xml', 'b.xml']);
});

test('a file prepared for an earlier step is not found again once another one fits', () => {
  const steps = [
    [A, prepare('1.xml')],
    [A, ATTACH],
    [A, prepare('2.xml')],
  ] as const;
  expect(found(noted(...steps), A)).toEqual(['2.xml']);
  expect(found(noted(...steps, [A, ATTACH]), A)).toEqual(['2.xml']);
  expect(found(noted(...steps, [A, ATTACH], [A, prepare('3.txt')]), A)).toEqual(['2.xml']);
});

test('the same step again finds the same', () => {
  expect(found(noted([A, prepare('1.xml')], [A, ATTACH], [A, ATTACH]), A)).toEqual(['1.xml']);
});
