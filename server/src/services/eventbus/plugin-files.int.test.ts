/** Files on a real disk, kept in real blobs. */
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { RunEvent } from '@tutti/manifests';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import type { BlobStore } from '../../blobs/blob-store.ts';
import { openFilesystemBlobStore } from '../../blobs/filesystem/filesystem-blob-store.ts';
import { keepPluginFiles } from './plugin-files.ts';

const RUN = 'aaaaaaaa-1111-4222-8333-bbbbbbbbbbbb';
const UUID = 'cccccccc-1111-4222-8333-dddddddddddd';
const NAME = `${RUN}-${UUID}_0_report.xml`;

let directory: string;
let blobs: BlobStore;
let warnings: unknown[];

beforeEach(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tutti-files-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  directory = join(folder, 'shared');
  await mkdir(directory);
  blobs = await openFilesystemBlobStore({ directory: join(folder, 'blobs') });
  warnings = [];
});

const eventWith = (path: string, kind = 'ExecutionResult'): RunEvent => {
  const metadata = { workflow_id: RUN, attachments: { [path]: { uuid: UUID } } };
  // Only these fields of an event are read.
  return { kind, metadata } as unknown as RunEvent;
};

const keep = (event: RunEvent, more: object = {}) =>
  keepPluginFiles(
    {
      blobs,
      directory,
      fileBytesMax: 100,
      logger: { warn: (about: unknown) => warnings.push(about) },
      ...more,
    },
    event,
  );

const kept = async (): Promise<string | null> => {
  const blob = await blobs.get(`${RUN}/${UUID}`);
  return blob === null ? null : await text(blob.content);
};

test.each([NAME, `${UUID}_report.xml`, `${RUN}-${UUID}_WR_report of all.xml`])(
  'the file %s of an event is kept',
  async (name) => {
    await writeFile(join(directory, name), 'content');
    for (const kind of ['ExecutionResult', 'WorkflowResult'])
      await keep(eventWith(`/tmp/${name}`, kind));
    expect(await kept()).toBe('content');
    expect(warnings).toEqual([]);
  },
);

test('the first file under an id stays', async () => {
  await writeFile(join(directory, NAME), 'first');
  await keep(eventWith(`/tmp/${NAME}`));
  await writeFile(join(directory, NAME), 'second');
  await keep(eventWith(`/tmp/${NAME}`));
  expect(await kept()).toBe('first');
});

test.each(['/tmp/report.xml', `/tmp/sub/${NAME}`, `/tmp/../${NAME}`, `/etc/${NAME}`, NAME])(
  'the file that the path %s may name is not looked at',
  async (path) => {
    await writeFile(join(directory, 'report.xml'), 'content');
    await keep(eventWith(path));
    expect(await kept()).toBe(null);
    expect(warnings).toEqual([]);
  },
);

test('without a directory nothing is kept', async () => {
  await writeFile(join(directory, NAME), 'content');
  await keep(eventWith(`/tmp/${NAME}`), { directory: null });
  expect(await kept()).toBe(null);
});

test('missing files, large ones, links and directories are reported and not kept', async () => {
  const path = join(directory, NAME);
  const place = async (make: () => Promise<unknown>) => {
    await make();
    await keep(eventWith(`/tmp/${NAME}`));
    await rm(path, { recursive: true, force: true });
    expect(await kept()).toBe(null);
  };
  await place(async () => {});
  await place(() => writeFile(path, 'x'.repeat(101)));
  await writeFile(join(directory, 'secret'), 'secret');
  await place(() => symlink('secret', path));
  await place(() => mkdir(path));
  expect(warnings).toHaveLength(4);
});
