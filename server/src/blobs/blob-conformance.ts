/** The contract of the blob port as tests; every implementation runs them. */
import { Buffer } from 'node:buffer';
import { isOrchestratorError } from '@tutti/manifests';
import { describe, expect, test } from 'vitest';
import type { BlobStore } from './blob-store.ts';

/** One implementation, as the suite uses it. */
export interface BlobTarget {
  /** Makes a fresh place for blobs. */
  createPlace(): Promise<string>;
  removePlace(place: string): Promise<void>;
  open(place: string): Promise<BlobStore>;
  /** Names of files that are kept there beside blobs; empty while no call is under way. */
  leftovers(place: string): Promise<readonly string[]>;
}

interface OpenPlace {
  readonly place: string;
  readonly blobs: BlobStore;
}

type BlobTest = (name: string, body: (place: OpenPlace) => Promise<void>) => void;

const ROOM = { sizeMax: 1_000_000 };
const KEY = 'run/report.xml';

export function describeBlobStore(name: string, target: BlobTarget): void {
  const blobTest: BlobTest = (title, body) => {
    test(title, async () => {
      const place = await target.createPlace();
      try {
        await body({ place, blobs: await target.open(place) });
        expect(await target.leftovers(place)).toEqual([]);
      } finally {
        await target.removePlace(place);
      }
    });
  };
  describe(name, () => {
    describePut(blobTest);
    describeRefusals(blobTest);
    describeGet(blobTest);
    describeDeleteScope(blobTest);
    blobTest('blobs outlive the process that put them', async ({ place, blobs }) => {
      await blobs.put(KEY, chunks('kept'), ROOM);
      expect(await textOf(await target.open(place))).toBe('kept');
    });
  });
}

async function* chunks(...texts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}

/** From one byte to half a MiB and more, small ones between large ones. */
async function* unevenChunks(content: Buffer): AsyncGenerator<Uint8Array> {
  const sizes = [1, 65_536, 0, 700_000, 3, 65_535];
  let begin = 0;
  for (let number = 0; begin < content.length; number += 1) {
    const size = sizes[number % sizes.length] ?? 1;
    yield content.subarray(begin, begin + size);
    begin += size;
  }
}

async function textOf(blobs: BlobStore, key = KEY): Promise<string | null> {
  const blob = await blobs.get(key);
  return blob === null ? null : Buffer.concat(await blob.content.toArray()).toString();
}

function describePut(blobTest: BlobTest): void {
  blobTest('content comes back as it was put', async ({ blobs }) => {
    expect(await blobs.put(KEY, chunks('a', '', 'bc', 'é'), ROOM)).toEqual({ size: 5 });
    expect(await blobs.info(KEY)).toEqual({ size: 5 });
    expect(await textOf(blobs)).toBe('abcé');
  });

  blobTest('empty content is content', async ({ blobs }) => {
    expect(await blobs.put(KEY, chunks(), ROOM)).toEqual({ size: 0 });
    expect(await textOf(blobs)).toBe('');
  });

  blobTest('much content in chunks of all sizes comes back as it was put', async ({ blobs }) => {
    const content = Buffer.from(Array.from({ length: 3_000_001 }, (_, index) => index % 251));
    const put = blobs.put(KEY, unevenChunks(content), { sizeMax: content.length });
    expect(await put).toEqual({ size: content.length });
    const blob = await blobs.get(KEY);
    const received = await blob?.content.toArray();
    expect(content.equals(Buffer.concat(received ?? []))).toBe(true);
  });

  blobTest('a later put replaces what was there', async ({ blobs }) => {
    await blobs.put(KEY, chunks('long content'), ROOM);
    await blobs.put(KEY, chunks('short'), ROOM);
    expect(await textOf(blobs)).toBe('short');
  });

  blobTest('a reader keeps what it began to read while it is replaced', async ({ blobs }) => {
    await blobs.put(KEY, chunks('before'), ROOM);
    const reading = await blobs.get(KEY);
    await blobs.put(KEY, chunks('after'), ROOM);
    expect(Buffer.concat((await reading?.content.toArray()) ?? []).toString()).toBe('before');
    expect(await textOf(blobs)).toBe('after');
  });

  blobTest('readers see nothing of content that is still coming', async ({ blobs }) => {
    async function* observed() {
      yield Buffer.from('first ');
      expect(await blobs.info(KEY)).toBeNull();
      expect(await blobs.get(KEY)).toBeNull();
      yield Buffer.from('second');
    }
    await blobs.put(KEY, observed(), ROOM);
    expect(await textOf(blobs)).toBe('first second');
  });

  blobTest('of concurrent puts of one key one stays whole', async ({ blobs }) => {
    const texts = Array.from({ length: 10 }, (_, number) => String(number).repeat(5_000));
    await Promise.all(texts.map((text) => blobs.put(KEY, chunks(text, text), ROOM)));
    const kept = await textOf(blobs);
    expect(texts.map((text) => text + text)).toContain(kept);
  });
}

function describeRefusals(blobTest: BlobTest): void {
  blobTest('content of just the size limit is taken', async ({ blobs }) => {
    expect(await blobs.put(KEY, chunks('1234', '5678'), { sizeMax: 8 })).toEqual({ size: 8 });
  });

  blobTest('content beyond the size limit is refused while it comes', async ({ blobs }) => {
    let isReported = false;
    async function* endless() {
      try {
        for (;;) yield Buffer.alloc(1_000);
      } finally {
        isReported = true;
      }
    }
    const error: unknown = await blobs.put(KEY, endless(), { sizeMax: 10_500 }).catch((e) => e);
    expect(isOrchestratorError(error) && error.reason).toBe('PayloadTooLarge');
    expect(isReported).toBe(true);
    expect(await blobs.info(KEY)).toBeNull();
  });

  blobTest('a source that fails leaves what was there', async ({ blobs }) => {
    await blobs.put(KEY, chunks('before'), ROOM);
    async function* failing() {
      yield Buffer.from('part');
      throw new Error('connection lost');
    }
    await expect(blobs.put(KEY, failing(), ROOM)).rejects.toThrow('connection lost');
    expect(await textOf(blobs)).toBe('before');
  });

  blobTest('an aborted put ends though its source hangs', async ({ blobs }) => {
    const controller = new AbortController();
    async function* hanging() {
      yield Buffer.from('part');
      controller.abort(new Error('client gone'));
      await new Promise<never>(() => undefined);
    }
    const put = blobs.put(KEY, hanging(), { ...ROOM, signal: controller.signal });
    await expect(put).rejects.toThrow('client gone');
    expect(await blobs.info(KEY)).toBeNull();
  });

  blobTest('a put that is aborted from the start stores nothing', async ({ blobs }) => {
    const signal = AbortSignal.abort(new Error('too late'));
    await expect(blobs.put(KEY, chunks('a'), { ...ROOM, signal })).rejects.toThrow('too late');
    expect(await blobs.info(KEY)).toBeNull();
  });

  for (const key of ['name', '../name', 'run/..', 'run/a/b', '/etc/passwd', 'run/a b', '']) {
    blobTest(`${JSON.stringify(key)} is no key`, async ({ blobs }) => {
      const calls = [blobs.put(key, chunks('a'), ROOM), blobs.info(key), blobs.get(key)];
      for (const outcome of await Promise.allSettled(calls)) {
        const refusal: unknown = outcome.status === 'rejected' ? outcome.reason : null;
        expect(isOrchestratorError(refusal) && refusal.reason).toBe('Invalid');
      }
    });
  }
}

function describeGet(blobTest: BlobTest): void {
  blobTest('of an unknown key there is nothing', async ({ blobs }) => {
    await blobs.put(KEY, chunks('a'), ROOM);
    for (const key of ['run/other', 'other/report.xml']) {
      expect(await blobs.info(key)).toBeNull();
      expect(await blobs.get(key)).toBeNull();
    }
  });

  const ranges: readonly (readonly [number, number, string])[] = [
    [0, 10, '0123456789'],
    [0, 1, '0'],
    [3, 7, '3456'],
    [9, 10, '9'],
    [5, 100, '56789'],
    [10, 20, ''],
    [5, 5, ''],
    [7, 3, ''],
  ];
  for (const [start, end, text] of ranges) {
    blobTest(`of ten bytes, ${start} to ${end} is '${text}'`, async ({ blobs }) => {
      await blobs.put(KEY, chunks('01234', '56789'), ROOM);
      const blob = await blobs.get(KEY, { start, end });
      expect(blob?.size).toBe(10);
      expect(Buffer.concat((await blob?.content.toArray()) ?? []).toString()).toBe(text);
    });
  }
}

function describeDeleteScope(blobTest: BlobTest): void {
  blobTest('a deleted scope loses all its keys, and others keep theirs', async ({ blobs }) => {
    for (const key of ['run/a', 'run/b', 'run2/a']) await blobs.put(key, chunks(key), ROOM);
    await blobs.deleteScope('run');
    await blobs.deleteScope('unknown');
    expect([await blobs.info('run/a'), await blobs.info('run/b')]).toEqual([null, null]);
    expect(await textOf(blobs, 'run2/a')).toBe('run2/a');
    await blobs.put('run/a', chunks('anew'), ROOM);
    expect(await textOf(blobs, 'run/a')).toBe('anew');
  });

  blobTest('puts and deletions of one scope at a time all succeed', async ({ blobs }) => {
    const puts = Array.from({ length: 20 }, (_, n) => blobs.put(`run/${n}`, chunks('a'), ROOM));
    const deletions = Array.from({ length: 5 }, () => blobs.deleteScope('run'));
    await Promise.all([...puts, ...deletions]);
    await blobs.deleteScope('run');
    expect(await blobs.info('run/0')).toBeNull();
  });

  for (const scope of ['..', '.', '', 'a/b']) {
    blobTest(`${JSON.stringify(scope)} is no scope`, async ({ blobs }) => {
      await blobs.put(KEY, chunks('a'), ROOM);
      await expect(blobs.deleteScope(scope)).rejects.toThrow();
      expect(await textOf(blobs)).toBe('a');
    });
  }
}
