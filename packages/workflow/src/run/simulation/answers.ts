/** Answers of channel handlers and providers: the metadata of the command, with their own entries. */
import {
  type AttachmentId,
  type ChannelId,
  type ChannelOs,
  type ExecutionCommandEvent,
  type ExecutionErrorEvent,
  type ExecutionResultEvent,
  type GeneratorCommandEvent,
  type GeneratorResultEvent,
  type Hook,
  type ProviderCommandEvent,
  type ProviderResultEvent,
  type WorkflowResultEvent,
  type WorkflowStep,
  withoutOwnEntries,
} from '@tutti/manifests';
import { artifactPath } from '../../environment/attachments.ts';
import { calledEntry, maskEntries, metadataEntries, problemEntries } from '../../facts/encode.ts';
import { COMMIT } from './call-plan.ts';

export function offerFor(
  { metadata }: ExecutionCommandEvent,
  {
    id,
    handlerId,
    os,
  }: { readonly id: ChannelId; readonly handlerId: string; readonly os: ChannelOs },
  hooks: readonly Hook[],
): ExecutionResultEvent {
  return {
    apiVersion: 'example.org/v1alpha1',
    kind: 'ExecutionResult',
    metadata: {
      ...metadata,
      channel_id: id,
      channel_os: os,
      channel_temp: '/tmp',
      channelhandler_id: handlerId,
      ...metadataEntries({ type: 'EnvironmentOffered', hooks }),
    },
    status: 0,
  };
}

/** The type of a file that a reader of test results takes. */
/** Report types of several formats, each with its own reader. */
const REPORT_TYPES = ['junit-surefire+xml', 'dotnet-trx+xml', 'go-gotest+json', 'perl-tap'].map(
  (type) => `application/vnd.opentestfactory.${type}`,
);

export interface CommandEnd {
  /** Exit code. */
  readonly status: number;
  /** Empty where there is none. */
  readonly output?: string;
  /** Variables that the step wrote into its variables file. */
  readonly variables?: Readonly<Record<string, string>> | null;
  /** Whether the step attached a test report. */
  readonly attaches?: boolean;
}

/** Steps that attach a report also upload it, and mask a text. */
export function uploadOf({ metadata }: ExecutionCommandEvent): WorkflowResultEvent {
  const { workflow_id: workflowId, namespace, creationTimestamp, job_id, step_id: name } = metadata;
  const path = artifactPath({ workflowId, uuid: UPLOADED, name: commandOf(metadata) });
  return {
    apiVersion: 'example.org/v1alpha1',
    kind: 'WorkflowResult',
    metadata: {
      ...{ name, workflow_id: workflowId, namespace, creationTimestamp, job_id },
      attachments: { [path]: { uuid: UPLOADED } },
    },
    attachments: [path],
  };
}

const UPLOADED = '00000000-0000-4000-8000-000000000001' as AttachmentId;

const commandOf = (metadata: ExecutionCommandEvent['metadata']): string =>
  `${metadata.job_id}-${metadata.step_sequence_id}`;

export function resultOf(
  { metadata }: ExecutionCommandEvent,
  end: CommandEnd,
): ExecutionResultEvent {
  const { status, output = '', variables = null, attaches = false } = end;
  const uuid = `report-${metadata.job_id}-${metadata.step_sequence_id}` as AttachmentId;
  const type = REPORT_TYPES[metadata.step_sequence_id % REPORT_TYPES.length] ?? '';
  const attachments = { '/tmp/report': { uuid, type } };
  return {
    apiVersion: 'example.org/v1alpha1',
    kind: 'ExecutionResult',
    metadata: {
      ...metadata,
      ...(attaches ? { attachments, ...maskEntries([`secret of ${commandOf(metadata)}`]) } : {}),
    },
    status,
    ...(output === '' ? {} : { outputs: { o: output } }),
    ...(variables === null ? {} : { variables }),
  };
}

/** A file of a repository came, or did not. */
export function fetchedBy(
  { metadata }: ExecutionCommandEvent,
  status: number,
): ExecutionResultEvent {
  const uuid = `file-${metadata.job_id}` as AttachmentId;
  const isThere = status === 0;
  return {
    apiVersion: 'example.org/v1alpha1',
    kind: 'ExecutionResult',
    metadata: { ...metadata, ...(isThere ? { attachments: { '/tmp/file': { uuid } } } : {}) },
    status,
    outputs: isThere ? { commit: COMMIT } : { problem: 'file' },
  };
}

export function answerTo(
  { metadata }: ProviderCommandEvent,
  steps: readonly WorkflowStep[],
  outputs: Readonly<Record<string, unknown>>,
  hooks: readonly Hook[],
): ProviderResultEvent {
  return {
    apiVersion: 'example.org/v1beta1',
    kind: 'ProviderResult',
    metadata,
    steps,
    hooks,
    outputs,
  };
}

export function generatedFor(
  { metadata }: GeneratorCommandEvent,
  answer: Pick<GeneratorResultEvent, 'jobs' | 'outputs'>,
): GeneratorResultEvent {
  // Plugins do not return our own entries in the metadata.
  return {
    apiVersion: 'example.org/v1beta1',
    kind: 'GeneratorResult',
    metadata: withoutOwnEntries(metadata) as GeneratorResultEvent['metadata'],
    ...answer,
  };
}

/** The server's answer for a called file: only the server may write our own metadata. */
export function calledFor(
  { metadata, with: inputs = {} }: GeneratorCommandEvent,
  answer:
    | (Pick<GeneratorResultEvent, 'jobs' | 'outputs'> & { readonly called: object })
    | { readonly problem: string },
): GeneratorResultEvent {
  const event = { apiVersion: 'example.org/v1beta1', kind: 'GeneratorResult' } as const;
  if ('problem' in answer) {
    return { ...event, metadata: { ...metadata, ...problemEntries([answer.problem]) }, jobs: {} };
  }
  const { called: own, ...others } = answer;
  const called = { name: 'called', inputs, variables: {}, defaults: {}, ...own };
  return { ...event, metadata: { ...metadata, ...calledEntry(called) }, ...others };
}

export function errorTo(
  { metadata }: ProviderCommandEvent | GeneratorCommandEvent,
  error: string,
): ExecutionErrorEvent {
  return {
    apiVersion: 'example.org/v1alpha1',
    kind: 'ExecutionError',
    metadata,
    details: { error },
  };
}
