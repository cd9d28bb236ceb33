/** Workers that read test results. */
import { type AttachmentId, REPORT_FORMATS, type ReportFormat } from '@tutti/manifests';

/**
 * Id of the worker that reads the test results of one attachment. The id follows from the attachment. So a reading that is repeated after a
 * crash is the same worker. Others know the worker before it begins.
 */
export function testResultsWorkerId(
  attachmentId: AttachmentId,
  format: ReportFormat = 'surefire',
): string {
  return `interpreter-${format}-${attachmentId}`;
}

/** Whether a worker of that id reads the test results of an attachment. */
export function isReportReader(workerId: string): boolean {
  return REPORT_FORMATS.some((format) => workerId.startsWith(`interpreter-${format}-`));
}
