import { expect, test } from 'vitest';
import { withinSpace } from './disk-space.ts';

const MIB = 1024 * 1024;

async function* chunks(count: number): AsyncGenerator<Uint8Array> {
  for (let index = 0; index < count; index += 1) yield new Uint8Array(MIB);
}

/** Passes chunks of a MiB on to a disk, and answers how many it took. */
async function taken(count: number, free: number): Promise<{ size: number; looks: number }> {
  const disk = { size: 0, looks: 0 };
  const look = async () => {
    disk.looks += 1;
    return free - disk.size;
  };
  for await (const chunk of withinSpace(chunks(count), look)) disk.size += chunk.byteLength;
  return disk;
}

test('content that the disk has space for is passed on, with a look now and then', async () => {
  expect(await taken(0, 0)).toEqual({ size: 0, looks: 0 });
  expect(await taken(1, 65 * MIB)).toEqual({ size: MIB, looks: 1 });
  expect(await taken(40, 1024 * MIB)).toEqual({ size: 40 * MIB, looks: 10 });
});

test.each([
  [1, 64],
  [8, 68],
  [1_000, 900],
])('%i MiB are refused where %i MiB are free, of which some are reserved', async (count, free) => {
  await expect(taken(count, free * MIB)).rejects.toMatchObject({
    reason: 'ServiceUnavailable',
    retryAfterSeconds: 10,
    message: 'The file could not be stored: the server has no space left for it.',
  });
});
