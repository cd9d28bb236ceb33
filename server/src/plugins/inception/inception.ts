/**
 * The inception environment, for rehearsals (wire facts 10.5). It takes any job with the tag `inception`, runs nothing and always succeeds.
 * It attaches prepared files in place of the reports that scripts would make.
 *
 * It keeps nothing. Commands come durably, and their answers follow from the log of the run. A command that comes again after a crash gets
 * the same answer with the same ids. The run takes one answer.
 */
import {
  type AttachmentId,
  apiVersionOf,
  type ChannelId,
  type ChannelOs,
  type ExecutionCommandEvent,
  type ExecutionResultEvent,
  STEP_SEQUENCE,
  type StepId,
} from '@tutti/manifests';
import { createNamePattern } from '@tutti/selectors';
import {
  attachmentName,
  attachmentPath,
  INCEPTION_TAG,
  type OutputRequest,
  outputMessages,
  type PooledChannel,
  type Run,
  warningsOf,
} from '@tutti/workflow';
import type { BlobStore } from '../../blobs/blob-store.ts';
import type { EventBus, RunDirectory } from '../../bus/bus.ts';
import type { Clock } from '../../runtime/clock.ts';
import { derivedId } from '../../runtime/derived-id.ts';
import type { Store } from '../../store/store.ts';
import { NamedReports, type ScriptsOfCall } from './named-reports.ts';
import { PreparedFiles } from './prepared-files.ts';
import {
  attachmentsOf,
  linesOf,
  preparationsOf,
  type WantedAttachment,
} from './rehearsal-lines.ts';

export interface InceptionDeps {
  readonly apiGroup: string;
  readonly bus: Pick<EventBus, 'publish' | 'subscribeDurably'>;
  readonly runs: Pick<RunDirectory, 'find'>;
  readonly store: Pick<Store, 'events'>;
  readonly blobs: Pick<BlobStore, 'get' | 'put'>;
  readonly clock: Clock;
  readonly scriptsOfCall: ScriptsOfCall;
  /** Largest attachment, in bytes. */
  readonly fileBytesMax: number;
}

interface Rehearsals {
  readonly prepared: PreparedFiles;
  readonly reports: NamedReports;
}

/** Derived ids are the same in every process. */
export const INCEPTION_HANDLER_ID = derivedId('channel handler inception');
const CHANNEL_ID = derivedId('channel inception') as ChannelId;
/** Attachments of one step. */
const ATTACHMENTS_MAX = 1024;

/** The channel as it is listed: it takes any number of jobs, so it is always free. */
export const INCEPTION_CHANNEL: PooledChannel = {
  channelId: CHANNEL_ID,
  handlerId: INCEPTION_HANDLER_ID,
  name: INCEPTION_TAG,
  namespaces: '*',
  tags: [INCEPTION_TAG],
  phase: 'IDLE',
  job: null,
  since: null,
  isDraining: false,
};

/** Subscribes the inception environment. Call it before the bus starts. */
export function offerInception(deps: InceptionDeps): void {
  const rehearsals = {
    prepared: new PreparedFiles(deps.store),
    reports: new NamedReports(deps.scriptsOfCall),
  };
  deps.bus.subscribeDurably(INCEPTION_TAG, 'ExecutionCommand', {
    takes: isOurs,
    handle: async (command) => {
      const result = await resultOf(deps, rehearsals, command);
      if (result !== null) await deps.bus.publish(result);
    },
  });
}

function isOurs({ metadata, 'runs-on': tags }: ExecutionCommandEvent): boolean {
  return metadata.step_sequence_id === STEP_SEQUENCE.request
    ? tags.includes(INCEPTION_TAG)
    : metadata.channelhandler_id === INCEPTION_HANDLER_ID;
}

/** Null for what needs no answer: commands end at once, so there is nothing to stop. */
async function resultOf(
  deps: InceptionDeps,
  rehearsals: Rehearsals,
  command: ExecutionCommandEvent,
): Promise<ExecutionResultEvent | null> {
  const sequence = command.metadata.step_sequence_id;
  if (sequence === STEP_SEQUENCE.request) return offerFor(deps, command);
  if (sequence === STEP_SEQUENCE.release) return answer(deps, command, {});
  return sequence < 0 ? null : await rehearse(deps, rehearsals, command);
}

/** Functions write the scripts of the system that the job asks for. */
function osOf(tags: readonly string[]): ChannelOs {
  if (tags.includes('windows')) return 'windows';
  return tags.includes('macos') ? 'macos' : 'linux';
}

function offerFor(deps: InceptionDeps, command: ExecutionCommandEvent): ExecutionResultEvent {
  const stepId = derivedId(`inception offer ${command.metadata.job_id}`) as StepId;
  return answer(deps, command, {
    metadata: {
      step_id: stepId,
      step_origin: [],
      channelhandler_id: INCEPTION_HANDLER_ID,
      channel_id: CHANNEL_ID,
      channel_name: INCEPTION_TAG,
      channel_os: osOf(command['runs-on']),
    },
  });
}

interface Answer {
  readonly metadata?: Readonly<Partial<ExecutionResultEvent['metadata']>>;
  readonly logs?: readonly string[];
  readonly attachments?: readonly string[];
}

function answer(
  { apiGroup, clock }: InceptionDeps,
  { metadata }: ExecutionCommandEvent,
  { metadata: more = {}, logs = [], attachments = [] }: Answer,
): ExecutionResultEvent {
  const { artifacts: _, ...own } = metadata;
  return {
    apiVersion: apiVersionOf(apiGroup, 'ExecutionResult'),
    kind: 'ExecutionResult',
    metadata: { ...own, ...more, creationTimestamp: clock.timestamp() },
    status: 0,
    ...(logs.length === 0 ? {} : { logs: [...logs] }),
    ...(attachments.length === 0 ? {} : { attachments: [...attachments] }),
  };
}

async function rehearse(
  deps: InceptionDeps,
  rehearsals: Rehearsals,
  command: ExecutionCommandEvent,
): Promise<ExecutionResultEvent> {
  const lines = linesOf(command.scripts);
  const run = await deps.runs.find(command.metadata.workflow_id);
  const { files, warnings } = await filesFor({ rehearsals, run, command }, lines);
  const attached: RehearsedFile[] = [];
  const failures = unknownFiles(run, lines);
  for (const file of files) {
    const failure = await attach(deps, run, file);
    if (failure === null) attached.push(file);
    else failures.push(failure);
  }
  const logs = [...lines, ...warnings, ...failures];
  if (attached.length === 0) return answer(deps, command, { logs });
  const entries = attached.map(({ path, uuid, parameters }) => [path, { ...parameters, uuid }]);
  return answer(deps, command, {
    metadata: { attachments: Object.fromEntries(entries) },
    logs,
    attachments: attached.map(({ path }) => path),
  });
}

interface RehearsedFile {
  /** The resource file. */
  readonly file: string;
  readonly path: string;
  readonly uuid: AttachmentId;
  readonly parameters: Readonly<Record<string, string>>;
}

/** Warns about a prepared file that does not exist: otherwise only attaching it would fail, if anything. */
const unknownFiles = (run: Run | null, lines: readonly string[]): string[] =>
  preparationsOf(lines)
    .filter(({ file }) => !Object.hasOwn(run?.files ?? {}, file))
    .map(({ file }) => outputMessages.resourceUnknown(file));

interface Rehearsed {
  readonly rehearsals: Rehearsals;
  readonly run: Run | null;
  readonly command: ExecutionCommandEvent;
}

async function filesFor(
  rehearsed: Rehearsed,
  lines: readonly string[],
): Promise<{ readonly files: readonly RehearsedFile[]; readonly warnings: readonly string[] }> {
  const { run, command } = rehearsed;
  const os = osOf(command['runs-on']);
  const wanted = attachmentsOf(lines, os === 'windows').slice(0, ATTACHMENTS_MAX);
  if (wanted.length === 0) return { files: [], warnings: [] };
  const { job_id: jobId, step_sequence_id: sequence } = command.metadata;
  const meant = await meantFiles(rehearsed, wanted);
  const files: RehearsedFile[] = [];
  const warnings: string[] = [];
  for (const { request, isOptional } of wanted) {
    const found = meant.get(request) ?? [];
    warnings.push(...warningsOf(request));
    if (found.length === 0 && !isOptional) {
      warnings.push(`WARNING,No file was prepared for ${request.path}.`);
    }
    for (const [name, file] of found) {
      const uuid = derivedId(`inception ${jobId}/${sequence}/${files.length}`) as AttachmentId;
      const shown = attachmentName(name, request.parameters, os, run?.masks);
      const path = attachmentPath({ jobId, uuid, sequence, name: shown });
      files.push({ file, path, uuid, parameters: request.parameters });
    }
  }
  return { files: files.slice(0, ATTACHMENTS_MAX), warnings };
}

/** Resource files with the names that they stand for. */
type MeantFiles = readonly (readonly [name: string, file: string])[];

async function meantFiles(
  { rehearsals: { prepared, reports }, run, command }: Rehearsed,
  wanted: readonly WantedAttachment[],
): Promise<ReadonlyMap<OutputRequest, MeantFiles>> {
  const { metadata, 'runs-on': tags } = command;
  const { job_id: jobId, workflow_id: workflowId } = metadata;
  const names = await prepared.namesOf(workflowId);
  const key = run?.jobKeys.get(jobId);
  const steps = key === undefined ? [] : (run?.jobs.get(key)?.definition.steps ?? []);
  const meant = new Map<OutputRequest, MeantFiles>();
  // A name stands for one file, though it fits the paths in several folders.
  const taken = new Set<string>();
  for (const { request, name, isPattern } of wanted) {
    if (!isPattern) {
      const file = names.named(jobId, name);
      meant.set(request, file === null ? [] : [[name, file]]);
      continue;
    }
    const named = await reports.of(jobId, steps, osOf(tags));
    const matches = createNamePattern(name);
    const fitting = names.fitting(jobId, (other) => matches(other) && !named.has(other));
    const keyOf = (found: string) => `${request.parameters.type ?? ''}\n${found}`;
    const found = [...fitting].filter(([other]) => !taken.has(keyOf(other)));
    for (const [other] of found) taken.add(keyOf(other));
    meant.set(request, found);
  }
  return meant;
}

/** Null when it is attached; else a line that says why not. Retention and readers find it like any attachment. */
async function attach(
  { blobs, fileBytesMax }: InceptionDeps,
  run: Run | null,
  { file, uuid }: RehearsedFile,
): Promise<string | null> {
  const unknown = outputMessages.resourceUnknown(file);
  if (run === null) return unknown;
  const { workflowId, files } = run;
  const blob = Object.hasOwn(files, file) ? files[file] : undefined;
  const stored = blob === undefined ? null : await blobs.get(`${workflowId}/${blob}`);
  if (stored === null) return unknown;
  await blobs.put(`${workflowId}/${uuid}`, stored.content, { sizeMax: fileBytesMax });
  return null;
}
