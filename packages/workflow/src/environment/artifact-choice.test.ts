import type { AttachmentId, WorkflowId } from '@tutti/manifests';
import { describe, expect, test } from 'vitest';
import { artifactsWanted } from './artifact-choice.ts';
import { artifactPath } from './attachments.ts';

const workflowId = 'aaaaaaaa-2222-4333-8444-555555555555' as WorkflowId;
const uuidOf = (index: number) => `99999999-2222-4333-8444-${String(index).padStart(12, '0')}`;
const pathOf = (name: string, index: number): string =>
  artifactPath({ workflowId, uuid: uuidOf(index) as AttachmentId, name });

const names = ['a.txt', 'my_report.xml', 'b.txt', 'a.txt', 'ä b.log'];
const paths = names.map(pathOf);

/** Targets with the positions of the artifacts that go there. */
const chosen = (path: string, parameters: Record<string, string>) =>
  artifactsWanted(paths, path, parameters).map(({ uuid, target }) => [
    target,
    Number(uuid.slice(-12)),
  ]);

test.each<[what: string, path: string, parameters: Record<string, string>, expected: unknown]>([
  ['a file by its name', 'in/x', { file: 'b.txt' }, [['in/x', 2]]],
  ['the artifact name when the path is empty', '', { file: 'b.txt' }, [['b.txt', 2]]],
  ['its name in a directory', 'in/', { file: 'b.txt' }, [['in/b.txt', 2]]],
  ['the last one of a name', 'x', { file: 'a.txt' }, [['x', 3]]],
  ['a name with blanks', '', { file: 'ä b.log' }, [['ä b.log', 4]]],
  ['the text after the last _', '', { file: 'report.xml' }, [['report.xml', 1]]],
  ['a whole name with _', '', { file: 'my_report.xml' }, [['my_report.xml', 1]]],
  ['no pattern in a file', '', { file: '*.txt' }, []],
  ['nothing', 'x', { file: 'c.txt' }, []],
  [
    'a pattern',
    'in',
    { pattern: '*.txt' },
    [
      ['in/a.txt', 3],
      ['in/b.txt', 2],
    ],
  ],
  ['a pattern into a directory', 'in/', { pattern: 'b*' }, [['in/b.txt', 2]]],
  ['a pattern without a path', '', { pattern: '[b]*' }, [['b.txt', 2]]],
  ['a pattern of the text after the last _', '', { pattern: 'rep*' }, [['report.xml', 1]]],
  [
    'all of them',
    '',
    {},
    [
      ['a.txt', 3],
      ['my_report.xml', 1],
      ['b.txt', 2],
      ['ä b.log', 4],
    ],
  ],
  // Language 5: `download`: both parameters are refused, none means all.
  // Language 5: `download`: by what comes after the last `_` of a name.
  // Language 5: `download`: where the files go.
])('a download chooses %s', (_what, path, parameters, expected) => {
  expect(chosen(path, parameters)).toEqual(expected);
});

test('paths of another form, and patterns longer than any name, choose nothing', () => {
  expect(artifactsWanted(['/tmp/allure/report.tar', '/tmp/a_b_c'], '', {})).toEqual([]);
  expect(artifactsWanted(paths, '', { pattern: '['.repeat(100_000) })).toEqual([]);
});

test('a path with many separators takes no longer than its length', () => {
  const path = `${'/'.repeat(300_000)}x`;
  expect(artifactsWanted([pathOf('a.xml', 1)], path, {})).toMatchObject([
    { target: `${path}/a.xml` },
  ]);
});

describe('an artifact in several files', () => {
  const parts = ['logs%2Fa.txt', 'logs%2Fs%2F100%25%2C%3A', 'logs', 'log', 'other%2Fa.txt'].map(
    pathOf,
  );
  const targets = (path: string, parameters: Record<string, string>) =>
    artifactsWanted(parts, path, parameters).map(({ target }) => target);

  test('goes to the folder as it was, by its name', () => {
    const files = ['in/a.txt', 'in/s/100%,:'];
    expect(targets('in/', { file: 'logs' })).toEqual([...files, 'in/logs']);
    expect(targets('', { file: 'other' })).toEqual(['a.txt']);
    expect(targets('in', { file: 'other' })).toEqual(['in/a.txt']);
  });

  test('has a folder of its own, by a pattern', () => {
    expect(targets('in', { pattern: '*s' })).toEqual([
      'in/logs/a.txt',
      'in/logs/s/100%,:',
      'in/logs',
    ]);
    expect(targets('', { pattern: '*.txt' })).toEqual([]);
  });

  test('is also known by the names of its parts', () => {
    expect(targets('x', { file: 'logs%2Fa.txt' })).toEqual(['x']);
  });

  test.each(['..%2Fa', 'a%2F..%2Fb', 'a%2F', '%2Fa', 'a%2F.', 'a%2F\\..\\b', 'a%2F..'])(
    'never leads out of the folder: %s',
    (name) => {
      const targetsOf = artifactsWanted([pathOf(name, 1)], 'in', {}).map(({ target }) => target);
      expect(targetsOf).toEqual([`in/${name}`]);
    },
  );
});
