import type { AttachmentId, WorkflowId } from '@tutti/manifests';
import { expect, test } from 'vitest';
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
