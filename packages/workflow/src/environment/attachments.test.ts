import type { AttachmentId, JobId, WorkflowId } from '@tutti/manifests';
import { expect, test } from 'vitest';
import {
  artifactPath,
  attachmentName,
  attachmentPath,
  environmentPath,
  nameOfPath,
  resourcePath,
  targetPath,
} from './attachments.ts';

const jobId = '11111111-2222-4333-8444-555555555555' as JobId;
const uuid = '99999999-2222-4333-8444-555555555555' as AttachmentId;
const workflowId = 'aaaaaaaa-2222-4333-8444-555555555555' as WorkflowId;

test('paths on the wire have the form from which clients cut the name', () => {
  const attachment = attachmentPath({ jobId, uuid, sequence: 12, name: 'my_report 1.xml' });
  expect(attachment).toBe(`/tmp/${jobId}-${uuid}_12_my_report 1.xml`);
  expect(nameOfPath(attachment)).toBe('my_report 1.xml');
  const artifact = artifactPath({ workflowId, uuid, name: 'log.txt' });
  expect(artifact).toBe(`/tmp/${workflowId}-${uuid}_WR_log.txt`);
  expect(nameOfPath(artifact)).toBe('log.txt');
  expect(resourcePath(workflowId, 'data.csv')).toBe(`/tmp/in_${workflowId}_data.csv`);
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
] as const)('the file %j with %j on %s is named %j', (path, parameters, os, name) => {
  expect(attachmentName(path, parameters, os)).toBe(name);
});

test('on windows paths have backslashes', () => {
  expect(environmentPath('C:/a/b c.xml', 'windows')).toBe('C:\\a\\b c.xml');
  expect(environmentPath('/a/b\\c', 'linux')).toBe('/a/b\\c');
});

test('a file is brought to the workspace of the job, or its working directory', () => {
  expect(targetPath({ jobId, path: 'in/data.csv' }, 'linux')).toBe(`${jobId}/in/data.csv`);
  const target = { jobId, workingDirectory: 'my tests', path: 'data.csv' };
  expect(targetPath(target, 'macos')).toBe(`${jobId}/my tests/data.csv`);
  expect(targetPath(target, 'windows')).toBe(`${jobId}\\my tests\\data.csv`);
});
