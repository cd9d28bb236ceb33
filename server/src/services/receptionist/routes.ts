/** `POST /workflows` (specification 4.6), and `POST /workflows/{workflow_id}/rerun`, which is ours. */
import {
  DEFAULT_API_GROUP,
  evaluateInputs,
  type FetchedFile,
  messages,
  NAMESPACE_NAME,
  OrchestratorError,
  type StepId,
  status,
  type WorkflowEvent,
  type WorkflowId,
} from '@tutti/manifests';
import { DOCUMENT_LIMITS } from '@tutti/manifests/documents';
import { fileAddresses } from '@tutti/workflow';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { requireAccessAsAsked } from '../../auth/access.ts';
import { actorOf } from '../../auth/actor.ts';
import { holderOf, tenantOf } from '../../http/holder.ts';
import { setProcessedQuery } from '../../http/processed-query.ts';
import { isFlagSet, queryFlag, queryText } from '../../http/query.ts';
import { sendStatus } from '../../http/reply.ts';
import type { Routes } from '../../http/routes.ts';
import type { RunPath } from '../../http/run-in-path.ts';
import { whenClosed } from '../../http/when-closed.ts';
import { heapBytes } from '../../runtime/heap-bytes.ts';
import { LIMITS } from '../../runtime/limits.ts';
import { Turns } from '../../runtime/turns.ts';
import { askedJobs } from './asked-jobs.ts';
import { checkAddress, fetchFile } from './fetch-file.ts';
import { parseLines, parseVariables } from './lines.ts';
import type { ReceptionistDeps } from './receptionist-deps.ts';
import { createWorkflowSchema, rerunWorkflowSchema } from './routes-schema.ts';
import type { StartRequest } from './start-admission.ts';
import {
  filesToFetch,
  type KeepFile,
  type ReadManifest,
  readMultipartSubmission,
  readPlainSubmission,
  type Submission,
  tooManyFiles,
  withAddresses,
  withFetchedFiles,
} from './submission.ts';
import { testedText } from './tested-text.ts';
import { traceOfStart } from './trace-of-start.ts';
import { publishRun, workflowEventSteps } from './workflow-event.ts';
import { bytesOf } from './workflow-source.ts';
import { READ_WORKFLOW } from './workflow-tasks.ts';

const DEFAULT_NAMESPACE = 'default';
const NAMESPACE = new RegExp(NAMESPACE_NAME);
const CREATE = { resource: 'workflows', verb: 'create' } as const;

export function receptionistRoutes(deps: ReceptionistDeps): Routes {
  // Before the body is read: a refusal must be cheap.
  const admit = async (request: FastifyRequest, reply: FastifyReply) => {
    const start = { ...askerOf(request, reply), isDryRun: queryFlag(request, 'dryRun') };
    whenClosed(reply.raw, await deps.admission.admit(start));
  };
  const admitRerun = async (request: FastifyRequest, reply: FastifyReply) => {
    const start = { ...askerOf(request, reply), isDryRun: false };
    whenClosed(reply.raw, await deps.admission.admit(start));
  };
  return (app) => {
    app.post<RunPath>(
      '/workflows/:workflow_id/rerun',
      {
        config: { access: CREATE, body: 'bytes', isStart: true },
        schema: rerunWorkflowSchema,
        onRequest: [admitRerun],
      },
      async (request, reply) => {
        const { rerunWorkflow } = await import('./rerun.ts');
        return await rerunWorkflow(deps, request, reply);
      },
    );
    // In a scope of its own, because the multipart reader adds hooks to every request of its scope.
    app.register(async (scope) => {
      if (deps.apiGroup !== DEFAULT_API_GROUP) await compileCheck(deps.apiGroup);
      const { default: multipart } = await import('@fastify/multipart');
      await scope.register(multipart);
      scope.post(
        '/workflows',
        {
          config: { access: CREATE, isOpen: isPing, body: 'bytes', isStart: true },
          schema: createWorkflowSchema,
          onRequest: [answerPing, admit],
        },
        (request, reply) => createWorkflow(deps, request, reply),
      );
    });
  };
}

/** The first workflow would block all other requests meanwhile. Only the check of the usual group is compiled at build time. */
async function compileCheck(apiGroup: string): Promise<void> {
  const { workflowCheck } = await import('./read-workflow.ts');
  workflowCheck(apiGroup)({});
}

function askerOf(request: FastifyRequest, reply: FastifyReply): Omit<StartRequest, 'isDryRun'> {
  return { holder: holderOf(request), isGone: () => reply.raw.destroyed };
}

/** A ping does nothing, so any token may try it. */
const isPing = (request: FastifyRequest): boolean => isFlagSet(request, 'ping');

/** Before the body is read. */
async function answerPing(request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  if (!queryFlag(request, 'ping')) return undefined;
  setProcessedQuery(request, reply, ['ping']);
  return sendStatus(reply, status('OK', messages.pong()));
}

async function createWorkflow(
  deps: ReceptionistDeps,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const isDryRun = queryFlag(request, 'dryRun');
  const workflowId = deps.ids.ordered<WorkflowId>();
  const kept = keptFiles(deps, workflowId);
  const start: Start = { deps, request, workflowId, keepFile: kept.keep };
  try {
    const given = await readSubmission(start);
    refuseIfStrict(request, given.warnings);
    // Problems are reported before files are fetched.
    const checked = await startOf(start, given);
    const submission = withAddresses(given, () => fileAddresses(checked));
    checkFilesToFetch(submission, deps);
    const complete = isDryRun ? submission : await fetchFiles(start, submission);
    const warnings = await warningsAbout(start, complete);
    refuseIfStrict(request, warnings);
    const event = complete === submission ? checked : await startOf(start, complete);
    if (isDryRun) await kept.discard();
    else {
      // Reading the body and fetching files may have taken minutes.
      await request.grant.check();
      await publishRun(deps.bus, event);
      deps.meters.acceptanceSeconds.observe(reply.elapsedTime / 1000);
    }
    const message = messages.workflowAccepted(event.metadata.name, workflowId);
    const details = { workflow_id: workflowId, ...(warnings.length > 0 ? { warnings } : {}) };
    return sendStatus(reply, status('Created', message, details));
  } catch (error) {
    await kept.discard();
    throw error;
  }
}

/** One request for a run. */
interface Start {
  readonly deps: ReceptionistDeps;
  readonly request: FastifyRequest;
  readonly workflowId: WorkflowId;
  readonly keepFile: KeepFile;
}

/** Warnings about the workflow and the files that it calls, as many as for one document. */
async function warningsAbout(
  { deps, request, workflowId }: Start,
  submission: Submission,
): Promise<readonly string[]> {
  // Most workflows have no files.
  if (submission.files.size === 0) return submission.warnings;
  const { checkFilesOf } = await import('./check-files.ts');
  const files = { ...deps, scope: workflowId, share: tenantOf(request) };
  const ofFiles = await checkFilesOf(submission, files);
  return [...new Set([...submission.warnings, ...ofFiles])].slice(0, DOCUMENT_LIMITS.problemsMax);
}

function refuseIfStrict(request: FastifyRequest, warnings: readonly string[]): void {
  const [first] = warnings;
  if (first === undefined || !queryFlag(request, 'strict')) return;
  throw new OrchestratorError('Invalid', first, { details: { error: warnings.join('\n') } });
}

function readSubmission({ deps, request, keepFile }: Start): Promise<Submission> {
  const { limits, documents, apiGroup } = deps;
  const readManifest: ReadManifest = (source) =>
    documents.run(
      READ_WORKFLOW,
      { source, use: 'started', apiGroup },
      { what: 'The workflow', share: tenantOf(request), bytes: bytesOf(source) },
    );
  return request.isMultipart()
    ? readMultipartSubmission(request, { readManifest, limits, keepFile })
    : readPlainSubmission(request, readManifest);
}

/** The files that the workflow names by address; the client waits for them, or leaves. */
async function fetchFiles(
  { deps: { outgoing: policy }, request, keepFile }: Start,
  submission: Submission,
): Promise<Submission> {
  if (filesToFetch(submission).length === 0) return submission;
  const { socket } = request.raw;
  const gone = new AbortController();
  const leave = () => gone.abort();
  const signal = AbortSignal.any([AbortSignal.timeout(LIMITS.fetchSeconds * 1000), gone.signal]);
  socket.once('close', leave);
  try {
    const fetch = (file: FetchedFile) => fetchFile(file, { policy, signal });
    return await withFetchedFiles(submission, fetch, keepFile);
  } finally {
    // Many requests share a connection.
    socket.off('close', leave);
  }
}

/** Checks addresses without a request, so that a dry run gives the same answer. */
function checkFilesToFetch(submission: Submission, { outgoing: policy }: ReceptionistDeps): void {
  const files = filesToFetch(submission);
  if (files.length > LIMITS.fetchedFiles) throw tooManyFiles();
  for (const file of files) checkAddress(file, { policy });
}

/** The files of one request: a refused request and a dry run leave none. */
function keptFiles({ blobs, limits }: ReceptionistDeps, workflowId: WorkflowId) {
  let isAnyKept = false;
  const keep: KeepFile = async (blob, content) => {
    isAnyKept = true;
    await blobs.put(`${workflowId}/${blob}`, content, { sizeMax: limits.fileBytes });
  };
  const discard = async (): Promise<void> => {
    if (isAnyKept) await blobs.deleteScope(workflowId);
  };
  return { keep, discard };
}

async function startOf(
  { deps, request, workflowId }: Start,
  { manifest, ...submission }: Submission,
): Promise<WorkflowEvent> {
  const turns = new Turns();
  const namespace = namespaceOf(request, manifest.metadata.namespace);
  const dryRun = queryFlag(request, 'dryRun');
  request.audited = { namespace, ...(dryRun ? { dryRun } : { workflowId }) };
  requireAccessAsAsked(request.access, CREATE, namespace);
  if (!queryFlag(request, 'dryRun')) requireRoom(deps, namespace, manifest);
  const given = Object.fromEntries(parseLines(submission.inputs, 'inputs'));
  const trace = traceOfStart(request.headers.traceparent, workflowId, deps.isTraced);
  const jobs = askedJobs(request, manifest.jobs);
  const steps = workflowEventSteps(manifest, {
    workflowId,
    trace,
    isLocal: deps.isLocal,
    namespace,
    createdAt: deps.clock.timestamp(),
    apiGroup: deps.apiGroup,
    newStepId: () => deps.ids.random<StepId>(),
    variables: parseVariables(submission.variables),
    inputs: evaluateInputs(manifest.inputs ?? {}, given),
    files: submission.files,
    jobs,
    rerunOf: null,
    version: testedText(request, 'version'),
    branch: testedText(request, 'branch'),
    actor: actorOf(request.access),
    warnings: submission.warnings,
  });
  if (turns.isOver) await turns.next();
  return await turns.run(steps);
}

/** Before the run is made, which takes the same memory again. */
function requireRoom({ memory }: ReceptionistDeps, namespace: string, manifest: object): void {
  memory.requireRoom(namespace, heapBytes(manifest, memory.runBytesMax));
}

/** The query wins over the manifest. An empty value, as a client without a context sends it, names none. */
function namespaceOf(request: FastifyRequest, ofManifest: string | undefined): string {
  const asked = queryText(request, 'namespace') || null;
  if (asked !== null && !NAMESPACE.test(asked)) {
    throw new OrchestratorError('Invalid', `Not a valid namespace: "${asked}".`);
  }
  return asked ?? ofManifest ?? DEFAULT_NAMESPACE;
}
