import type { AttachmentId, ReportFormat } from '@tutti/manifests';
import { describe, expect, test } from 'vitest';
import { type ResultsPart, readResults } from '../read-results.ts';
import { readInThread } from './read-in-thread.ts';

const attachmentId = '22222222-0000-0000-0000-000000000000' as AttachmentId;
const KIB = 1024;
const never = new AbortController().signal;

interface Reading {
  readonly parts: readonly ResultsPart[];
  readonly error: unknown;
}

async function readAll(source: AsyncIterable<ResultsPart>): Promise<Reading> {
  const parts: ResultsPart[] = [];
  try {
    for await (const part of source) parts.push(part);
    return { parts, error: null };
  } catch (error) {
    return { parts, error };
  }
}

async function* pieces(text: string, size = 64 * KIB): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function* endless(head: string, part: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(head);
  for (;;) yield Buffer.from(part);
}

const request = (format: ReportFormat, skip = 0) => ({ attachmentId, format, skip });
const cases = '<testcase name="é" classname="c"><failure>text</failure></testcase>\n'.repeat(
  20_000,
);

describe('a report that a thread reads', () => {
  test.each<[string, ReportFormat, string, number]>([
    ['is whole', 'surefire', `<testsuite>${cases}</testsuite>`, 0],
    ['was read in part before', 'surefire', `<testsuite>${cases}</testsuite>`, 19_000],
    ['was cut off', 'surefire', `<testsuite>${cases}`, 0],
    ['is of another format', 'ctrf', `<testsuite>${cases}</testsuite>`, 0],
    [
      'tells errors of suites',
      'surefire',
      `<testsuite>${cases}<error message="e"/></testsuite>`,
      0,
    ],
    ['has nothing', 'tap', '', 0],
  ])('and %s gives the same results as without a thread', async (_what, format, text, skip) => {
    const here = await readAll(readResults(request(format, skip), pieces(text)));
    const there = await readAll(readInThread(request(format, skip), pieces(text), never));
    expect(there.parts).toEqual(here.parts);
    expect(String(there.error)).toBe(String(here.error));
  });

  test('and cannot be fetched to its end is the fault of its source', async () => {
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('<testsuite>');
      throw new Error('The disk failed.');
    }
    const { error } = await readAll(readInThread(request('surefire'), broken(), never));
    expect(error).toEqual(new Error('The disk failed.'));
  });

  test('is left when the reading is aborted', async () => {
    const abort = new AbortController();
    const source = readInThread(request('surefire'), endless('<testsuite>', cases), abort.signal);
    const first = await source.next();
    expect(first.value?.results.length).toBeGreaterThan(0);
    abort.abort();
    const { error } = await readAll(source);
    expect(error).toMatchObject({ name: 'AbortError' });
  });

  // Bound: Threads that read test reports.
  test('and takes more memory than the thread may have is an error of the report', async () => {
    const content = endless('<testsuite>', cases.repeat(10));
    const { error } = await readAll(readInThread(request('surefire'), content, never, 12));
    expect(error).toMatchObject({
      reason: 'Invalid',
      message: 'reading it takes more than 12 MiB of memory',
    });
  });
});
