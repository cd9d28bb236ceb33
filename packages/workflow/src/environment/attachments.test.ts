import type { AttachmentId, ChannelOs, JobId, WorkflowId } from '@tutti/manifests';
import { expect, test } from 'vitest';
import {
  artifactPath,
  attachmentName,
  attachmentPath,
  environmentPath,
  filePathOf,
  nameOfPath,
  type StepPath,
} from './attachments.ts';

const jobId = '11111111-2222-4333-8444-555555555555' as JobId;
const uuid = '99999999-2222-4333-8444-555555555555' as AttachmentId;
const workflowId = 'aaaaaaaa-2222-4333-8444-555555555555' as WorkflowId;

// Language 5: Paths of attachments and artifacts.
test('paths on the wire have the form from which clients cut the name', () => {
  const attachment = attachmentPath({ jobId, uuid, sequence: 12, name: 'my_report 1.xml' });
  expect(attachment).toBe(`/tmp/${jobId}-${uuid}_12_my_report 1.xml`);
  expect(nameOfPath(attachment)).toBe('my_report 1.xml');
  const artifact = artifactPath({ workflowId, uuid, name: 'log.txt' });
  expect(artifact).toBe(`/tmp/${workflowId}-${uuid}_WR_log.txt`);
  expect(nameOfPath(artifact)).toBe('log.txt');
});

test.each([`/tmp/${uuid}_log.txt`, '/var/a_b_c', '', '/tmp/'])(
  'the path %j has no such name',
  (path) => {
    expect(nameOfPath(path)).toBe(null);
  },
);

test.each([
  ['/a/b/report.xml', {}, 'linux', 'report.xml'],
  ['report.xml', {}, 'macos', 'report.xml'],
  ['/a/b\\c.xml', {}, 'linux', 'b_c.xml'],
  ['C:\\a\\report.xml', {}, 'windows', 'report.xml'],
  ['C:/a/report.xml', {}, 'windows', 'report.xml'],
  ['/a/b/', {}, 'linux', 'b'],
  ['/', {}, 'linux', 'attachment'],
  ['', {}, 'linux', 'attachment'],
  ['/a/b.xml', { name: 'c.xml' }, 'linux', 'c.xml'],
  ['/a/b.xml', { name: ' ' }, 'linux', 'b.xml'],
  ['/a/b.xml', { name: '../c\\d\u0000e' }, 'linux', '.._c_d_e'],
  ['/a/b.xml', { name: '..' }, 'linux', '__'],
  ['/a/.', {}, 'linux', '_'],
  // Language 5: On Windows paths have backslashes, and the name is what follows the last one.
] as const)('the file %j with %j on %s is named %j', (path, parameters, os, name) => {
  expect(attachmentName(path, parameters, os)).toBe(name);
});

test.each([
  ['/a/Tok/En1234=.txt', 'linux', '***.txt'],
  ['C:\\a\\Tok\\En1234=.txt', 'windows', '***.txt'],
  ['/a/Tok/En1234=/b.txt', 'linux', 'b.txt'],
  ['/a/x-plain1.txt', 'linux', 'x-plain1.txt'],
] as const)(
  'a secret that begins in a directory is hidden in the name of the file %j',
  (path, os, name) => {
    expect(attachmentName(path, {}, os, ['Tok/En1234=', 'plain1'])).toBe(name);
  },
);

// Language 5: On Windows paths have backslashes, and the name is what follows the last one.
test('on windows paths have backslashes', () => {
  expect(environmentPath('C:/a/b c.xml', 'windows')).toBe('C:\\a\\b c.xml');
  expect(environmentPath('/a/b\\c', 'linux')).toBe('/a/b\\c');
});

const inWorkspace = { jobId, workspace: null, workingDirectory: null };
const home = '/srv/agent';

test.each<[what: string, file: Partial<StepPath>, os: ChannelOs, path: string]>([
  ['the workspace of the job', { path: 'out.txt' }, 'linux', `${home}/${jobId}/out.txt`],
  [
    'its working directory',
    { workingDirectory: 'a b', path: './c' },
    'macos',
    `${home}/${jobId}/a b/./c`,
  ],
  ['a path upwards', { workingDirectory: 'w', path: '../c' }, 'linux', `${home}/${jobId}/w/../c`],
  ['another workspace', { workspace: '/srv/used/.', path: 'c' }, 'linux', '/srv/used/./c'],
  ['an absolute path', { workingDirectory: 'w', path: '/srv/c' }, 'linux', '/srv/c'],
  ['an absolute directory', { workingDirectory: '/srv', path: 'c' }, 'linux', '/srv/c'],
  [
    'where commands run, if no workspace is known',
    { workspace: null, path: 'c' },
    'linux',
    `${jobId}/c`,
  ],
  [
    'Windows',
    { workspace: 'C:\\w', workingDirectory: 'a/b', path: 'c' },
    'windows',
    'C:\\w\\a\\b\\c',
  ],
  ['an absolute path on Windows', { workspace: 'C:\\w', path: 'D:/c' }, 'windows', 'D:\\c'],
  [
    'where commands run, in the directory of the step',
    { workspace: null, workingDirectory: 'my tests', path: 'd' },
    'macos',
    `${jobId}/my tests/d`,
  ],
  [
    'where commands run, on Windows',
    { workspace: null, workingDirectory: 'a/b', path: 'c/d' },
    'windows',
    `${jobId}\\a\\b\\c\\d`,
  ],
  [
    'a name with blanks and letters of all kinds',
    { path: 'ä b/日本' },
    'linux',
    `${home}/${jobId}/ä b/日本`,
  ],
  // Language 5: `put`: relative to the directory of the step.
])('a file is fetched from %s, and brought there', (_what, file, os, path) => {
  const inOwn = { ...inWorkspace, workspace: `${home}/${jobId}` };
  expect(filePathOf({ ...inOwn, path: '', ...file }, os)).toBe(path);
});
