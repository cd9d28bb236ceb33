/** Files of a real blob store, given to plugins on a real disk. */
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { WorkflowId } from '@tutti/manifests';
import type { Run } from '@tutti/workflow';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import type { BlobStore } from '../../blobs/blob-store.ts';
import { openFilesystemBlobStore } from '../../blobs/filesystem/filesystem-blob-store.ts';
import { eventually } from '../../bus/testing.ts';
import { offerCommandFiles } from './command-files.ts';

const RUN = 'aaaaaaaa-1111-4222-8333-bbbbbbbbbbbb' as WorkflowId;
const UUID = 'cccccccc-1111-4222-8333-dddddddddddd';
const OURS = 'eeeeeeee-1111-4222-8333-dddddddddddd';
const ARTIFACT = `${RUN}-${UUID}_WR_report.xml`;
const RESOURCE = `in_${RUN}_seed`;

let directory: string;
let blobs: BlobStore;
let warnings: unknown[];
let prepare: (command: string) => Promise<void>;
let ends: (() => void)[];
let run: { phase: string; files: Record<string, string> } | null;

beforeEach(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tutti-files-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  directory = join(folder, 'shared');
  await mkdir(directory);
  blobs = await openFilesystemBlobStore({ directory: join(folder, 'blobs') });
  await store(UUID, 'tests');
  await store('seed-blob', 'planted');
  warnings = [];
  ends = [];
  run = { phase: 'RUNNING', files: { seed: 'seed-blob' } };
  offerCommandFiles({
    bus: {
      beforeCommands: (given) => {
        prepare = given;
      },
      subscribe: (_kind, handler) => {
        // Only this field of the event is read.
        const event = { metadata: { workflow_id: RUN } } as unknown as Parameters<
          typeof handler
        >[0];
        ends.push(() => handler(event));
        return () => undefined;
      },
    },
    // Only these fields of a run are read.
    runs: { current: () => run as unknown as Run | null },
    blobs,
    logger: { warn: (about: unknown) => warnings.push(about) },
    directory,
    handlerIds: [OURS],
  });
});

async function store(name: string, content: string): Promise<void> {
  const chunks = async function* () {
    yield Buffer.from(content);
  };
  await blobs.put(`${RUN}/${name}`, chunks(), { sizeMax: 100 });
}

const command = (more: object = {}): string =>
  JSON.stringify({
    kind: 'ExecutionCommand',
    metadata: {
      workflow_id: RUN,
      channel_id: 'of a plugin',
      step_sequence_id: 0,
      artifacts: [`/tmp/${ARTIFACT}`],
      ...more,
    },
  });

const shared = async (): Promise<readonly string[]> => (await readdir(directory)).toSorted();

test('a plugin finds artifacts and resource files where it looks for them, until the run ends', async () => {
  await Promise.all([prepare(command()), prepare(command())]);
  expect(await readFile(join(directory, ARTIFACT), 'utf8')).toBe('tests');
  expect(await readFile(join(directory, RESOURCE), 'utf8')).toBe('planted');
  expect(await shared()).toEqual([ARTIFACT, RESOURCE]);
  ends[0]?.();
  await eventually(async () => expect(await shared()).toEqual([]));
  expect(warnings).toEqual([]);
});

test.each([
  ['a request for an environment', { channel_id: undefined, step_sequence_id: -1 }],
  ['a release', { step_sequence_id: -2 }],
  ['an environment of the server itself', { channelhandler_id: OURS }],
])('nothing is written for %s', async (_, metadata) => {
  await prepare(command(metadata));
  expect(await shared()).toEqual([]);
});

test('nothing is written for a run that is over', async () => {
  run = { phase: 'DONE', files: {} };
  await prepare(command());
  run = null;
  await prepare(command());
  expect(await shared()).toEqual([]);
});

test('files of a plugin are neither changed nor removed, nor are targets of links', async () => {
  const elsewhere = join(directory, '..', 'elsewhere');
  await writeFile(elsewhere, 'of others');
  await writeFile(join(directory, ARTIFACT), 'its own');
  await symlink(elsewhere, join(directory, RESOURCE));
  await prepare(command());
  ends[1]?.();
  expect(await readFile(join(directory, ARTIFACT), 'utf8')).toBe('its own');
  expect(await readFile(elsewhere, 'utf8')).toBe('of others');
  expect(await shared()).toEqual([ARTIFACT, RESOURCE]);
});

test('names that lead elsewhere and files that are gone are left out', async () => {
  run = { phase: 'RUNNING', files: { '../seed': 'seed-blob', gone: 'no-blob' } };
  await prepare(command({ artifacts: [`/tmp/${RUN}-${UUID}_WR_../../report.xml`, '/tmp/other'] }));
  expect(await shared()).toEqual([]);
  expect(await readdir(join(directory, '..'))).toEqual(expect.not.arrayContaining(['seed']));
});

test('files that cannot be written are logged once, and tried with the next command', async () => {
  await rm(directory, { recursive: true });
  await prepare(command());
  await prepare(command());
  expect(warnings).toMatchObject([{ workflowId: RUN, name: ARTIFACT }]);
  await mkdir(directory);
  await prepare(command());
  expect(await shared()).toEqual([ARTIFACT, RESOURCE]);
});
