/** `GET` and `POST /workflows/{workflow_id}/qualitygate` (specification 4.10, clients facts 3.6). */
import {
  isOrchestratorError,
  messages,
  OrchestratorError,
  type Status,
  status,
} from '@tutti/manifests';
import { gateStatus } from '@tutti/workflow';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { enterReading } from '../../http/answer-memory.ts';
import type { DocumentTasks } from '../../http/document-tasks.ts';
import { holderOf, tenantOf } from '../../http/holder.ts';
import { takePostedDefinition } from '../../http/posted-definition.ts';
import { queryChoice, queryFlag, queryInteger, queryText } from '../../http/query.ts';
import { sendStatus } from '../../http/reply.ts';
import type { Routes } from '../../http/routes.ts';
import { checkRunFirst, type RunPath, type RunRight, runInPath } from '../../http/run-in-path.ts';
import { whenClosed } from '../../http/when-closed.ts';
import { LIMITS } from '../../runtime/limits.ts';
import { reportWarnings } from '../../store/report-warnings.ts';
import type { WorkflowRow } from '../../store/store.ts';
import type { ConfiguredGates } from './configured-gates.ts';
import type { EarlierDeps } from './earlier-results.ts';
import { type FoundGate, findGate } from './gate-document.ts';
import { judge, judgeByPosted, listGates } from './gate-operations.ts';
import { READ_GATES } from './gate-tasks.ts';
import {
  awaitWorkers,
  type JudgeDeps,
  judgeRuns,
  type Patience,
  shownResults,
  TurnQueue,
} from './judge-run.ts';
import { GATE_LIMITS } from './limits.ts';

interface QualityGateDeps extends Omit<JudgeDeps, 'turns'> {
  readonly store: EarlierDeps['store'];
  readonly runs: EarlierDeps['runs'];
  readonly gates: Pick<ConfiguredGates, 'find' | 'names'>;
  readonly documents: Pick<DocumentTasks, 'run'>;
  readonly quarantine: (typeof QUARANTINE)[number];
}

type GateDeps = QualityGateDeps & Pick<JudgeDeps, 'turns'>;

const PATH = '/workflows/:workflow_id/qualitygate';
const DEFAULT_MODE = 'strict';
const PART = 'qualitygates';
const GET: RunRight = { resource: 'qualitygates', verb: 'get' };
const POST: RunRight = { resource: 'qualitygates', verb: 'create' };

const timeout = {
  type: 'integer',
  minimum: 0,
  default: GATE_LIMITS.timeoutDefaultSeconds,
  description: `Seconds to wait for test results, ${LIMITS.heldRequestSeconds} at most.`,
} as const;

const QUARANTINE = ['respect', 'count'] as const;
const quarantine = {
  type: 'string',
  enum: QUARANTINE,
  description:
    'Whether failures of tests in quarantine count; by default as `quarantine.gates` of the server says.',
} as const;

const takenOver = {
  type: 'boolean',
  description:
    'Judge with the test cases of the jobs that the workflow took over from earlier ones instead of running them again.',
} as const;

export function qualityGateRoutes(given: QualityGateDeps): Routes {
  const deps = { ...given, turns: new TurnQueue() };
  return (app) => {
    app.get(
      '/qualitygates',
      {
        config: { access: GET, anywhere: true },
        schema: { summary: 'List quality gates', tags: ['qualitygate'], operation: listGates },
      },
      async (_request, reply) => {
        const items = (await deps.gates.names()).map((name) => ({ name }));
        return sendStatus(reply, status('OK', 'Quality gates', { items }));
      },
    );
    app.get<RunPath>(
      PATH,
      {
        config: { access: GET },
        onRequest: checkRunFirst(deps.store, GET),
        schema: {
          summary: 'Judge a workflow by a quality gate',
          tags: ['qualitygate'],
          parameters: {
            mode: { type: 'string', default: DEFAULT_MODE, description: 'Name of the gate.' },
            quarantine,
            takenOver,
            timeout,
          },
          operation: judge,
        },
      },
      (_request, reply) =>
        answer(deps, reply, GET, (mode) => deps.gates.find(mode ?? DEFAULT_MODE)),
    );
    // In a scope of its own, because the reader of multipart bodies hooks into every request of its scope.
    app.register(async (scope) => {
      const { default: multipart } = await import('@fastify/multipart');
      await scope.register(multipart);
      postRoute(scope, deps);
    });
  };
}

function postRoute(app: FastifyInstance, deps: GateDeps): void {
  app.post<RunPath>(
    PATH,
    {
      // No line in the audit log, since the request changes nothing.
      config: { access: POST, isAudited: false, body: 'bytes' },
      onRequest: checkRunFirst(deps.store, POST),
      bodyLimit: GATE_LIMITS.definitionBytes,
      schema: {
        summary: 'Judge a workflow by a quality gate of the request',
        tags: ['qualitygate'],
        parameters: {
          mode: { type: 'string', description: 'Name of the gate.' },
          quarantine,
          takenOver,
          timeout,
        },
        operation: judgeByPosted,
      },
    },
    (request, reply) =>
      answer(deps, reply, POST, async (mode) => {
        if (mode === null) throw new OrchestratorError('Invalid', messages.modeMissing());
        return findGate(await postedGates(deps, request), mode);
      }),
  );
}

async function postedGates({ documents }: GateDeps, request: FastifyRequest) {
  const posted = { part: PART, bytesMax: GATE_LIMITS.definitionBytes };
  const source = await takePostedDefinition(request, posted);
  const bytes = source.content.length;
  const asker = { what: 'The definition', share: tenantOf(request), bytes };
  return documents.run(READ_GATES, source, asker);
}

/** `find` answers the gate of that mode, null for one that does not exist; it may refuse the request. */
async function answer(
  deps: GateDeps,
  reply: FastifyReply<RunPath>,
  right: RunRight,
  find: (mode: string | null) => Promise<FoundGate | null>,
): Promise<FastifyReply> {
  const { request } = reply;
  const patience = patienceOf(deps, reply);
  // An empty value, as a client without a setting sends it, names none.
  const mode = queryText(request, 'mode') || null;
  const found = await find(mode);
  if (found === null) throw gateNotFound(mode ?? DEFAULT_MODE);
  // Again: reading a body took its time.
  const row = await runInPath(deps.store, request, right);
  const hasEarlier = queryFlag(request, 'takenOver');
  const gates = queryChoice(request, 'quarantine', QUARANTINE) ?? deps.quarantine;
  const enter = () => enterReading(request, reply);
  const question = { row, found, hasEarlier, enter, countsQuarantine: gates === 'count' };
  return sendStatus(reply, await judged(deps, question, patience));
}

const gateNotFound = (mode: string): OrchestratorError =>
  new OrchestratorError('Invalid', messages.qualityGateNotFound(mode));

function patienceOf({ clock, feed }: GateDeps, reply: FastifyReply): Patience {
  const { request } = reply;
  // An empty value names none, as with the mode.
  const isNone = queryText(request, 'timeout') === '';
  const asked = isNone ? null : queryInteger(request, 'timeout', { min: 0 });
  const seconds = Math.min(asked ?? GATE_LIMITS.timeoutDefaultSeconds, LIMITS.heldRequestSeconds);
  return {
    deadlineMs: clock.monotonicMs() + seconds * 1000,
    isWanted: () => !reply.raw.destroyed,
    mayWait: placeToWait(feed, reply),
  };
}

/** A request that finds no place is answered as one whose time is over. */
function placeToWait(feed: GateDeps['feed'], reply: FastifyReply): () => boolean {
  let hasPlace = false;
  return () => {
    if (hasPlace) return true;
    try {
      whenClosed(reply.raw, feed.admit(holderOf(reply.request)));
      hasPlace = true;
    } catch (error) {
      if (!isOrchestratorError(error) || error.reason !== 'TooManyRequests') throw error;
    }
    return hasPlace;
  };
}

interface Question {
  readonly row: WorkflowRow;
  readonly found: FoundGate;
  /** With the test cases of jobs that were taken over. */
  readonly hasEarlier: boolean;
  readonly countsQuarantine: boolean;
  /** Waits for room in memory. */
  readonly enter: () => Promise<void>;
}

async function judged(deps: GateDeps, question: Question, patience: Patience): Promise<Status> {
  const { row, found } = question;
  const { workflowId } = row;
  const warnings = async () => [
    ...found.warnings,
    ...(await reportWarnings(deps.store, workflowId)),
  ];
  if (row.status === 'PENDING' || row.status === 'RUNNING') {
    return status('OK', '', { status: 'RUNNING', ...noted(await warnings()) });
  }
  const isComplete = await awaitWorkers(deps, workflowId, patience);
  if (isComplete) await question.enter();
  const verdict = isComplete ? await verdictOn(deps, question, patience) : null;
  if (verdict === null) {
    // Without a status in the details: there is none yet.
    return status('Accepted', messages.testResultsIncomplete(), {});
  }
  const { earlierWarnings, ...rest } = verdict;
  return status('OK', '', { ...rest, ...noted([...(await warnings()), ...earlierWarnings]) });
}

const noted = (warnings: readonly string[]) => (warnings.length > 0 ? { warnings } : {});

/** Null when the time is over first. */
async function verdictOn(
  deps: GateDeps,
  { row, found: { gate }, hasEarlier, countsQuarantine }: Question,
  patience: Patience,
) {
  const own = { workflowId: row.workflowId, jobIds: null };
  const isDone = row.status === 'DONE';
  if (!hasEarlier) {
    const results = await judgeRuns({ ...deps, patience, countsQuarantine }, [own], gate);
    if (results === null) return null;
    return {
      status: gateStatus(isDone, [...results.rules.values()]),
      ...shownResults(results),
      earlierWarnings: [],
    };
  }
  const { judgeWithEarlier } = await import('./earlier-results.ts');
  return await judgeWithEarlier(deps, { own, isDone, gate, countsQuarantine }, patience);
}
