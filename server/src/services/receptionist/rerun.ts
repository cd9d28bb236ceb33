/** `POST /workflows/{workflow_id}/rerun`: starts the same workflow again with its inputs, or its failed part. */
import {
  apiVersionOf,
  messages,
  OrchestratorError,
  type StepId,
  status,
  type WorkflowEvent,
  type WorkflowId,
  type WorkflowManifest,
  type WorkflowResultEvent,
  workflowNotFound,
} from '@tutti/manifests';
import {
  artifactPath,
  isEnded,
  parseTraceparent,
  type Run,
  runSpanId,
  type TakenOver,
  TRACEPARENT_VARIABLE,
  takenOver,
} from '@tutti/workflow';
import { branchIn, chosenIn, traceparentIn, versionIn } from '@tutti/workflow/facts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Access, requireAccess } from '../../auth/access.ts';
import { actorEntryOf, actorOf } from '../../auth/actor.ts';
import { queryFlag } from '../../http/query.ts';
import { sendStatus } from '../../http/reply.ts';
import { type RunPath, runInPath } from '../../http/run-in-path.ts';
import { Turns } from '../../runtime/turns.ts';
import { askedJobs } from './asked-jobs.ts';
import type { ReceptionistDeps } from './receptionist-deps.ts';
import { traceOfStart } from './trace-of-start.ts';
import { publishRun, workflowEventSteps } from './workflow-event.ts';

type RerunRequest = FastifyRequest<RunPath>;

/** The part of an earlier run to rerun. */
interface Choice {
  /** Names of jobs; null for all. */
  readonly jobs: readonly string[] | null;
  /** Null if no results are taken over. */
  readonly taken: TakenOver | null;
}

export async function rerunWorkflow(
  deps: ReceptionistDeps,
  request: RerunRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const earlier = await earlierRun(deps, request);
  const choice = choiceOf(request, earlier);
  const workflowId = deps.ids.ordered<WorkflowId>();
  const event = await eventOf(deps, request, { earlier, choice, workflowId });
  const { namespace } = event.metadata;
  request.audited = { namespace, workflowId, rerunOf: earlier.workflowId };
  try {
    await copyFiles(deps, { earlier, choice, workflowId });
    await request.grant.check();
    await publishRun(
      deps.bus,
      event,
      artifactsOf(deps, event, { ...choice, access: request.access }),
    );
  } catch (error) {
    await deps.blobs.deleteScope(workflowId);
    throw error;
  }
  deps.meters.acceptanceSeconds.observe(reply.elapsedTime / 1000);
  const message = messages.workflowAccepted(earlier.name, workflowId);
  return sendStatus(reply, status('Created', message, { workflow_id: workflowId }));
}

/** Its log is read only for tokens that may start such runs and see this one. */
async function earlierRun(deps: ReceptionistDeps, request: RerunRequest): Promise<Run> {
  const right = { resource: 'workflows', verb: 'create' } as const;
  const { workflowId, namespace } = await runInPath(deps.store, request, right);
  requireAccess(request.access, { resource: 'workflows', verb: 'get' }, namespace);
  const run = await deps.runs.find(workflowId);
  if (run === null) throw workflowNotFound(workflowId);
  return run;
}

function choiceOf(request: RerunRequest, earlier: Run): Choice {
  const asked = askedJobs(request, earlier.manifest.jobs);
  if (!queryFlag(request, 'failed')) return { jobs: asked ?? chosenJobs(earlier), taken: null };
  if (asked !== null) throw new OrchestratorError('Invalid', messages.rerunOfWhat());
  const { workflowId } = earlier;
  if (!isEnded(earlier)) throw conflict(messages.workflowGoesOn(workflowId));
  const taken = takenOver(earlier);
  if (taken.isAll) throw conflict(messages.workflowNotFailed(workflowId));
  return { jobs: chosenJobs(earlier), taken };
}

const conflict = (message: string): OrchestratorError => new OrchestratorError('Conflict', message);

/** Jobs that the earlier run left out are left out again. */
function chosenJobs({ manifest }: Run): readonly string[] | null {
  const names = chosenIn(annotationsOf(manifest));
  return names.length === 0 ? null : names;
}

const annotationsOf = ({ metadata }: WorkflowManifest): object => {
  const { annotations } = metadata;
  return typeof annotations === 'object' && annotations !== null ? annotations : {};
};

interface Rerun {
  readonly earlier: Run;
  readonly choice: Choice;
  readonly workflowId: WorkflowId;
}

async function eventOf(
  deps: ReceptionistDeps,
  request: RerunRequest,
  { earlier, choice, workflowId }: Rerun,
): Promise<WorkflowEvent> {
  const steps = workflowEventSteps(withoutTrace(earlier), {
    workflowId,
    trace: traceOfStart(request.headers.traceparent, workflowId, deps.isTraced),
    namespace: earlier.namespace,
    createdAt: deps.clock.timestamp(),
    apiGroup: deps.apiGroup,
    newStepId: () => deps.ids.random<StepId>(),
    variables: new Map(),
    inputs: earlier.inputs as Parameters<typeof workflowEventSteps>[1]['inputs'],
    files: new Map(Object.entries(earlier.files)),
    isLocal: deps.isLocal,
    jobs: choice.jobs,
    rerunOf: earlier.workflowId,
    version: versionIn(annotationsOf(earlier.manifest)),
    branch: branchIn(annotationsOf(earlier.manifest)),
    actor: actorOf(request.access),
    // The author of the earlier run has already seen the warnings.
    warnings: [],
  });
  const event = await new Turns().run(steps);
  return { ...event, metadata: { ...event.metadata, ...choice.taken?.metadata } };
}

/** The earlier run's offered trace is dropped; an author's own stays. */
function withoutTrace({ manifest, workflowId }: Run): WorkflowManifest {
  const { [TRACEPARENT_VARIABLE]: offered, ...variables } = manifest.variables ?? {};
  const given = traceparentIn(manifest.metadata);
  const isOurs =
    offered !== undefined &&
    (offered === given || parseTraceparent(offered)?.spanId === runSpanId(workflowId));
  return isOurs ? { ...manifest, variables } : manifest;
}

/** Copies, since the earlier run may be forgotten at any time. */
async function copyFiles(
  { blobs }: ReceptionistDeps,
  { earlier: { workflowId: from, files }, choice: { taken }, workflowId: to }: Rerun,
): Promise<void> {
  const uploads = (taken?.artifacts ?? []).map(({ uuid, name }) => [name, uuid] as const);
  for (const [name, blob] of [...Object.entries(files), ...uploads]) {
    const found = await blobs.get(`${from}/${blob}`);
    if (found === null) throw conflict(messages.fileGone(name, from));
    await blobs.put(`${to}/${blob}`, found.content, { sizeMax: found.size });
  }
}

/** Published like artifacts of steps, but without a job: all steps may download them, and no interpreter reads them. */
function artifactsOf(
  { apiGroup, clock }: ReceptionistDeps,
  { metadata }: WorkflowEvent,
  { taken, access }: Pick<Choice, 'taken'> & { readonly access: Access },
): readonly WorkflowResultEvent[] {
  const { workflow_id: workflowId, namespace, name } = metadata;
  const artifacts = (taken?.artifacts ?? []).map(({ uuid, name }) => ({
    path: artifactPath({ workflowId, uuid, name }),
    uuid,
  }));
  if (artifacts.length === 0) return [];
  const attachments = artifacts.map(({ path, uuid }) => [path, { uuid }]);
  return [
    {
      apiVersion: apiVersionOf(apiGroup, 'WorkflowResult'),
      kind: 'WorkflowResult',
      metadata: {
        name,
        workflow_id: workflowId,
        namespace,
        creationTimestamp: clock.timestamp(),
        ...actorEntryOf(access),
        attachments: Object.fromEntries(attachments),
      },
      attachments: artifacts.map(({ path }) => path),
    },
  ];
}
