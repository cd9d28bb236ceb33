/** Test cases of a report as test results of notifications. */
import type { AttachmentId, TestResult } from '@tutti/manifests';
import { attemptEntry } from '@tutti/workflow/facts';
import { derivedId } from '../../runtime/derived-id.ts';
import type { FoundCase } from './report-reader.ts';

/** In bytes of JSON. One event may have 256 KiB; smaller ones are sooner done with, by those who get them and by the collector of garbage. */
const BATCH_BYTES_MAX = 64 * 1024;

/** `index` is the place of the test case in its report: the id of a result follows from it, in every reading. */
export function testResultOf(
  found: FoundCase,
  attachmentId: AttachmentId,
  index: number,
): TestResult {
  const { suite, name, isAttempt, ...rest } = found;
  return {
    id: derivedId(`test result ${attachmentId}/${index}`),
    name: suite === null ? name : `${suite}#${name}`,
    ...(suite === null ? {} : { suite }),
    ...rest,
    ...attemptEntry(isAttempt === true),
    attachment_origin: attachmentId,
  };
}

/** Groups results so that each group fits into one event. */
export async function* inBatches(
  results: AsyncIterable<TestResult>,
): AsyncGenerator<readonly TestResult[]> {
  let batch: TestResult[] = [];
  let bytes = 0;
  try {
    for await (const result of results) {
      const size = Buffer.byteLength(JSON.stringify(result)) + 1;
      if (bytes + size > BATCH_BYTES_MAX && batch.length > 0) {
        yield batch;
        batch = [];
        bytes = 0;
      }
      batch.push(result);
      bytes += size;
    }
  } catch (error) {
    // What was read before the report became unreadable counts.
    if (batch.length > 0) yield batch;
    throw error;
  }
  if (batch.length > 0) yield batch;
}
