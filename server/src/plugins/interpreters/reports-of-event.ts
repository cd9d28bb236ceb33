/** The test reports among the attachments of an event. */
import {
  type AttachmentId,
  type ExecutionResultEvent,
  type ReportFormat,
  reportTypeOf,
  type WorkflowResultEvent,
} from '@tutti/manifests';
import { nameOfPath, testResultsWorkerId } from '@tutti/workflow';

export interface Report {
  readonly attachmentId: AttachmentId;
  /** Name of the file, for messages. */
  readonly name: string;
  readonly format: ReportFormat;
}

export type ReportingEvent = ExecutionResultEvent | WorkflowResultEvent;

/** Reports in supported formats, in the order of attachment. */
export function reportsOfEvent({ metadata }: ReportingEvent): readonly Report[] {
  return Object.entries(metadata.attachments ?? {}).flatMap(([path, { uuid, type, name }]) => {
    const known = type === undefined ? null : reportTypeOf(type);
    if (known === null) return [];
    const shown = name ?? nameOfPath(path) ?? path;
    return [{ attachmentId: uuid, name: shown, format: known.format }];
  });
}

/** The worker that reads the report, as notifications name it. */
export function workerIdOf({ attachmentId, format }: Report): string {
  return testResultsWorkerId(attachmentId, format);
}
