/** The test reports among the attachments of an event. */
import type {
  AttachmentId,
  AttachmentMetadata,
  ExecutionResultEvent,
  WorkflowResultEvent,
} from '@tutti/manifests';
import { nameOfPath, technologyOfType } from '@tutti/workflow';

export interface Report {
  readonly attachmentId: AttachmentId;
  /** Name of the file, for messages. */
  readonly name: string;
}

export type ReportingEvent = ExecutionResultEvent | WorkflowResultEvent;

/** Reports of technologies that write surefire XML, in the order in which they were attached. */
export function reportsOfEvent({ metadata }: ReportingEvent): readonly Report[] {
  return Object.entries(metadata.attachments ?? {}).flatMap(([path, attachment]) =>
    isReport(attachment)
      ? [{ attachmentId: attachment.uuid, name: attachment.name ?? nameOfPath(path) ?? path }]
      : [],
  );
}

function isReport({ type }: AttachmentMetadata): boolean {
  return type !== undefined && technologyOfType(type) !== null;
}
