import { isOrchestratorError } from '@tutti/manifests';
import { expect, test } from 'vitest';
import { blobPath, INCOMING, REMOVED, scopePath } from './blob-path.ts';

test.each([
  ['run/report.xml', '/blobs/run', '/blobs/run/report.xml'],
  ['A-1_b/..a', '/blobs/A-1_b', '/blobs/A-1_b/..a'],
  [`${'s'.repeat(200)}/${'n'.repeat(200)}`, `/blobs/${'s'.repeat(200)}`, null],
])('%s is a key', (key, folder, file) => {
  const path = blobPath('/blobs', key);
  expect(path.folder).toBe(folder);
  if (file !== null) expect(path.file).toBe(file);
});

test.each([
  '',
  'run',
  'run/',
  '/name',
  'run/a/b',
  'run/..',
  '../name',
  './name',
  'run/.',
  'run/...',
  'run/a b',
  'run/a\\b',
  'run/a\u0000',
  'run/a\n',
  'run/é',
  `run/${'n'.repeat(201)}`,
  `${'s'.repeat(201)}/name`,
  `${INCOMING}/1`,
  `${REMOVED}/1`,
])('%j is no key', (key) => {
  expect(() => blobPath('/blobs', key)).toThrow(expect.toSatisfy(isOrchestratorError));
});

test.each(['', '..', '.', 'a/b', INCOMING])('%j is no scope', (scope) => {
  expect(() => scopePath('/blobs', scope)).toThrow(expect.toSatisfy(isOrchestratorError));
});
