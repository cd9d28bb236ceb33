/** Derives the files that must move before a step's result from its workflow commands (wire facts 4.6, part 5). */
import type { AttachmentId } from '@tutti/manifests';
import {
  ARTIFACTS_MAX,
  artifactsWanted,
  asFile,
  attachmentName,
  countFile,
  type FileCount,
  filePathOf,
  type OutputRequest,
  outputMessages,
  recordedWorkspace,
  TRANSFERS_MAX,
} from '@tutti/workflow';
import { type Agent, osOf } from './agent.ts';
import type { Command, Finished } from './command.ts';
import { blobsFor, type Work } from './context.ts';
import { createTransfer, type RequestedPurpose, type Transfer } from './transfer.ts';

/** The plan for one request: files that move, or a line with the reason why none does. */
type Planned =
  | { readonly transfers: readonly Transfer[] }
  | { readonly failure: string }
  | { readonly beyond: Limit };

/** The line about files beyond a limit. */
type Limit = (path: string, count: number) => string;

const transfersLimit: Limit = (path, count) =>
  outputMessages.tooManyTransfers(path, count, TRANSFERS_MAX);
const artifactsLimit: Limit = (path, count) =>
  outputMessages.tooManyArtifacts(path, count, ARTIFACTS_MAX);

export interface TransferPlan {
  readonly transfers: readonly Transfer[];
  /** The requests that the transfers are for. */
  readonly requests: readonly OutputRequest[];
  readonly failures: readonly string[];
  /** The requests that are beyond a limit. */
  readonly ignored: readonly OutputRequest[];
}

interface Planning extends Work {
  readonly finished: Finished;
  /** Masks of the run, with those of this command's output. */
  readonly masks: readonly string[];
}

/** Plans transfers in the order of the requests. After a restart the plan is the same, except for the ids of the files. */
export async function planTransfers(
  planning: Planning,
  requests: readonly OutputRequest[],
): Promise<TransferPlan> {
  const transfers: Transfer[] = [];
  const served: OutputRequest[] = [];
  const failures: string[] = [];
  const ignored: OutputRequest[] = [];
  const beyond = new Map<Limit, FileCount>();
  for (const request of requests) {
    const planned = await plan(planning, request, transfers);
    if ('failure' in planned) failures.push(planned.failure);
    else if ('beyond' in planned) {
      ignored.push(request);
      beyond.set(planned.beyond, countFile(beyond.get(planned.beyond), request.path));
    } else {
      served.push(request);
      transfers.push(...planned.transfers);
    }
  }
  // The variables file comes first, as it names the workspace.
  const all = [...variablesTransfer(planning), ...transfers];
  const limits = [...beyond].map(([limit, { first, count }]) => limit(first, count));
  return { transfers: all, requests: served, failures: [...failures, ...limits], ignored };
}

async function plan(
  planning: Planning,
  request: OutputRequest,
  before: readonly Transfer[],
): Promise<Planned> {
  if (before.length >= TRANSFERS_MAX) {
    return { beyond: transfersLimit };
  }
  switch (request.kind) {
    case 'attach':
      return fetched(planning, request, before.length);
    case 'upload':
      return uploaded(planning, request, before);
    case 'put':
      return await putFile(planning, request);
    case 'download':
      return await downloaded(planning, request, TRANSFERS_MAX - before.length);
  }
}

function fetched(planning: Planning, request: OutputRequest, order: number): Planned {
  const { context, agent, masks } = planning;
  const { kind, path, parameters } = request;
  const name = attachmentName(path, parameters, osOf(agent), masks);
  const purpose = {
    kind: kind === 'upload' ? 'upload' : 'attach',
    asked: path,
    order,
    name,
    parameters,
  } as const;
  return { transfers: [createTransfer(context.ids.random(), pathOf(planning, purpose), purpose)] };
}

function uploaded(
  planning: Planning,
  request: OutputRequest,
  before: readonly Transfer[],
): Planned {
  const { context, command } = planning;
  const run = context.runs.current(command.event.metadata.workflow_id);
  const more = before.filter(({ purpose }) => purpose.kind === 'upload').length;
  return (run?.artifacts.length ?? 0) + more < ARTIFACTS_MAX
    ? fetched(planning, request, before.length)
    : { beyond: artifactsLimit };
}

async function putFile(planning: Planning, { path, parameters }: OutputRequest): Promise<Planned> {
  const { context, command } = planning;
  const file = parameters.file ?? '';
  const files = context.runs.current(command.event.metadata.workflow_id)?.files ?? {};
  const blob = Object.hasOwn(files, file) ? files[file] : undefined;
  if (blob === undefined) return { failure: outputMessages.resourceUnknown(file) };
  const failure = (why: string) => outputMessages.fileNotSent(file, path, why);
  return await sent(planning, [{ kind: 'put', asked: asFile(path, file), blob, failure }]);
}

async function downloaded(
  planning: Planning,
  { path, parameters }: OutputRequest,
  transfersMax: number,
): Promise<Planned> {
  const paths = planning.command.event.metadata.artifacts ?? [];
  const wanted = artifactsWanted(paths, path, parameters);
  if (wanted.length === 0) return { failure: outputMessages.noArtifact() };
  if (wanted.length > transfersMax) {
    return { beyond: transfersLimit };
  }
  const failure = (why: string) => outputMessages.artifactsNotSent(path, why);
  const files = wanted.map(
    ({ uuid, target }) => ({ kind: 'download', asked: target, blob: uuid, failure }) as const,
  );
  return await sent(planning, files);
}

type Outgoing = Extract<RequestedPurpose, { readonly kind: 'put' | 'download' }>;

/** Transfers to an agent, if all files exist. Existing agents take any answer for the file, even a refusal. */
async function sent(planning: Planning, files: readonly Outgoing[]): Promise<Planned> {
  const { context, agent, command } = planning;
  for (const { blob, failure } of files) {
    const key = `${command.event.metadata.workflow_id}/${blob}`;
    if ((await blobsFor(context, agent).info(key)) === null)
      return { failure: failure('it is gone') };
  }
  return {
    transfers: files.map((purpose) =>
      createTransfer(context.ids.random<AttachmentId>(), pathOf(planning, purpose), purpose),
    ),
  };
}

/** Path of a requested file, as far as the job's workspace is known. */
function pathOf(
  { agent, command, finished }: Pick<Planning, 'agent' | 'command' | 'finished'>,
  { asked }: RequestedPurpose,
): string {
  const { event } = command;
  const os = osOf(agent);
  const file = {
    jobId: event.metadata.job_id,
    workspace: recordedWorkspace(finished.variables, os),
    workingDirectory: event['working-directory'] ?? null,
    path: asked,
  };
  return filePathOf(file, os);
}

/** Call it when the variables file of a command came: from then on the workspace is known. */
export function placeTransfers(agent: Agent, command: Command, finished: Finished): void {
  for (const transfer of command.transfers) {
    const { purpose } = transfer;
    if (purpose.kind !== 'variables') transfer.place(pathOf({ agent, command, finished }, purpose));
  }
}

/** Some agents do not send the variables file by themselves. */
function variablesTransfer({ context, command, finished }: Planning): readonly Transfer[] {
  if (finished.variables !== null || command.isRelease) return [];
  const path = command.script.variablesPath;
  return [createTransfer(context.ids.random(), path, { kind: 'variables' })];
}
