/** Reads one report from a file into the events to publish, and prints the costs as JSON. Arguments: the format and the file. */
import { createReadStream, statSync } from 'node:fs';
import { type AttachmentId, REPORT_FORMATS } from '@tutti/manifests';
import { createReportReader } from '../../server/src/plugins/interpreters/read-report.ts';

const [name, file = ''] = process.argv.slice(2);
const format = REPORT_FORMATS.find((each) => each === name);
if (format === undefined) throw new Error(`No format: ${name}.`);
const request = { attachmentId: 'attachment' as AttachmentId, format, skip: 0 };
const report = { size: statSync(file).size, content: createReadStream(file) };
let cases = 0;
let eventBytes = 0;

const start = performance.now();
const parts = createReportReader()(request, report, new AbortController().signal);
const ownBefore = process.threadCpuUsage();
for await (const { results, found } of parts) {
  cases = found;
  eventBytes += JSON.stringify(results).length;
}
const elapsedMs = performance.now() - start;
const { user, system } = process.threadCpuUsage(ownBefore);
const peakMiB = process.resourceUsage().maxRSS / 1024;
const ownMs = (user + system) / 1e3;
console.log(JSON.stringify({ cases, eventBytes, elapsedMs, ownMs, peakMiB }));
