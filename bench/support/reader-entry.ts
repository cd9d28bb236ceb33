/**
 * Reads one report from a file up to the events that would be published, and prints what it took as JSON. Arguments: the format, the
 * file, and the bytes of one piece.
 */
import { createReadStream } from 'node:fs';
import type { AttachmentId } from '@tutti/manifests';
import { REPORT_FORMATS } from '@tutti/workflow';
import { loadReader } from '../../server/src/plugins/interpreters/formats.ts';
import { readReport } from '../../server/src/plugins/interpreters/read-report.ts';
import { inBatches, testResultOf } from '../../server/src/plugins/interpreters/test-results.ts';

const [name, file = ''] = process.argv.slice(2);
const format = REPORT_FORMATS.find((each) => each === name);
if (format === undefined) throw new Error(`No format: ${name}.`);
const createReader = await loadReader(format);
let cases = 0;
let eventBytes = 0;

async function* results() {
  for await (const findings of readReport(createReadStream(file), createReader)) {
    for (const found of findings.cases) {
      cases += 1;
      yield testResultOf(found, 'attachment' as AttachmentId, cases);
    }
  }
}

const start = performance.now();
for await (const batch of inBatches(results())) eventBytes += JSON.stringify(batch).length;
const elapsedMs = performance.now() - start;
const peakMiB = process.resourceUsage().maxRSS / 1024;
console.log(JSON.stringify({ cases, eventBytes, elapsedMs, peakMiB }));
