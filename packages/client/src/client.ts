/**
 * The HTTP API as functions. Refusals are thrown as OrchestratorError with the server's reason, message and details. UnreachableError is
 * thrown if no orchestrator answered.
 */
import { isOrchestratorError, type LoggedEvent, type OrchestratorError } from '@tutti/manifests';
import { type AttachmentContent, openAttachment } from './attachment-content.ts';
import {
  type CauseList,
  type DataSourceStatus,
  detailsOf,
  type EventPage,
  isPreparing,
  isRecord,
  type JsonRecord,
  parseCauses,
  parseEventPage,
  parseQualityGate,
  parseStartedWorkflow,
  parseTestCases,
  parseWorkers,
  parseWorkflows,
  type QualityGateStatus,
  type TestCase,
  type TestCaseList,
  unexpected,
  type WorkersStatus,
  type WorkflowStatus,
  type WorkflowSummary,
  warningsOf,
} from './documents.ts';
import { type EarlierRuns, earlierRuns } from './earlier-runs.ts';
import { checkStarted } from './ignored-parameter.ts';
import { type InsightsPromised, type InsightsWanted, requestInsights } from './insights.ts';
import { nextQuery } from './link-header.ts';
import {
  followLog,
  type LogDependencies,
  type LogPart,
  type LogQuery,
  type LogRange,
  readLog,
  readLogPart,
} from './log.ts';
import { type PublicationItem, watchPublications } from './publications.ts';
import { type GateQuery, type GateReport, judgeByGate } from './quality-gate.ts';
import {
  listResources,
  type ResourceName,
  readWholeDocument,
  type Selection,
} from './resource-list.ts';
import { retryDelayMs, type Sleep, systemSleep } from './retry-delay.ts';
import { multipartBody, startPatiently } from './start-workflow.ts';
import { type TestCasePage, type TestCasePagesQuery, testCasePages } from './test-case-pages.ts';
import {
  type Answer,
  type ApiRequest,
  createTransport,
  type Transport,
  type TransportOptions,
} from './transport.ts';
import { type WatchItem, watchWorkflow } from './watch.ts';

interface ClientOptions extends TransportOptions {
  readonly sleep?: Sleep;
  /** From 0 to 1, as Math.random gives it. */
  readonly random?: () => number;
  /** Milliseconds of a clock that is never set back. */
  readonly now?: () => number;
}

interface StartWorkflow {
  readonly manifestText: string;
  /** Resource files by the name under which the workflow expects them. */
  readonly files?: Readonly<Record<string, Blob>>;
  /** Sent as lines, as inputs are: a value with the end of a line would set what stands behind it. */
  readonly variables?: Readonly<Record<string, string>>;
  readonly inputs?: Readonly<Record<string, string>>;
  readonly namespace?: string | undefined;
  /** Names of jobs: only these run, and the jobs they need. All, if absent. */
  readonly jobs?: readonly string[] | undefined;
  /** Validates only; the id in the answer stays unknown. */
  readonly dryRun?: boolean;
  /** A workflow with warnings is refused. */
  readonly strict?: boolean;
  /** Version and branch that the run tests. Other servers do not know these parameters. */
  readonly version?: string | undefined;
  readonly branch?: string | undefined;
}

interface Call {
  readonly signal?: AbortSignal | undefined;
}

interface StartCall {
  /** Called when the server has enough to do, before the pause until the next try. */
  readonly onRefused?: (refusal: OrchestratorError, pauseMs: number) => void;
  /** Called with the warnings about a workflow that was accepted, if there are any. */
  readonly onWarnings?: (warnings: readonly string[]) => void;
}

export interface Client extends EarlierRuns {
  readonly baseUrl: string;
  /**
   * Resolves with the id of the run (specification 4.6). A server that has enough to do is asked again for some minutes. Throws
   * `IgnoredParameterError` when the server started it without regard to `jobs` or `strict`.
   */
  startWorkflow(start: StartWorkflow, call?: Call & StartCall): Promise<string>;
  /** All events of a run so far, page by page, and its status. */
  status(workflowId: string, call?: Call): Promise<WorkflowReport>;
  /** The events of a run page by page; a selector chooses events. */
  eventPages(
    workflowId: string,
    call?: Call & EventQuery,
  ): AsyncGenerator<WorkflowReport, void, undefined>;
  /** Follows a run until it ends; see WatchItem. A selector chooses events. */
  watch(workflowId: string, call?: Call & EventQuery): AsyncGenerator<WatchItem, void, undefined>;
  attachment(workflowId: string, attachmentId: string, call?: Call): Promise<AttachmentContent>;
  /** Asks for reports; `WorkflowResult` events tell when they are there. */
  requestInsights(
    workflowId: string,
    wanted: InsightsWanted,
    call?: Call,
  ): Promise<InsightsPromised>;
  /**
   * The test cases of a run, all pages. Waits while the server still prepares them. With `untilComplete` also while it still collects, then
   * `status` says whether the list is complete.
   */
  testcases(workflowId: string, call?: Call & TestCaseQuery): Promise<TestCaseList>;
  /** The test cases of a run page by page, as the server lists them. The last page says whether they are all there. */
  testCasePages(
    workflowId: string,
    query: TestCasePagesQuery,
    call?: Call,
  ): AsyncGenerator<TestCasePage, void, undefined>;
  /** All pages of the ended jobs of a run, or of their tags, with counts of test cases. */
  runItems(
    workflowId: string,
    kind: 'jobs' | 'tags',
    query: TestCasePagesQuery,
    call?: Call,
  ): Promise<RunItems>;
  /** Null when the server has no quality gate or does not know the run there. */
  qualitygate(workflowId: string, call?: Call & GateChoice): Promise<QualityGateStatus | null>;
  /** The report of a quality gate, rule by rule. Waits for the end of the run and for its test results as long as the query allows. */
  gate(workflowId: string, query: GateQuery, call?: Call): Promise<GateReport>;
  workers(workflowId: string, call?: Call): Promise<WorkersStatus>;
  /** Failed test cases by what made them fail. */
  causes(workflowId: string, call?: Call): Promise<CauseList>;
  /** The execution log, piece by piece, without its first bytes if asked. With `follow`, new lines follow until the run is over. */
  logs(
    workflowId: string,
    call?: LogQuery & { readonly follow?: boolean },
  ): AsyncGenerator<string, void, undefined>;
  /** A part of it: of a large log, the end is read without the rest. */
  logPart(workflowId: string, range: LogRange, call?: Call): Promise<LogPart>;
  workflows(call?: Call): Promise<readonly WorkflowSummary[]>;
  /** The chosen manifests of a list, as the server has them. */
  list(name: ResourceName, call?: Call & Selection): Promise<readonly JsonRecord[]>;
  /** The chosen publications as they pass, over one connection. The server keeps nothing for readers that are away. */
  publications(
    selection?: Selection,
    call?: Call,
  ): AsyncGenerator<PublicationItem, void, undefined>;
  /** An answer as the interface has it, the items of all its pages in one. */
  document(name: DocumentName, call?: Call): Promise<JsonRecord>;
  /** Sends a request that has no function of its own here; resolves with the document of the answer. */
  ask(request: ApiRequest): Promise<JsonRecord>;
  /** The bill of materials of the server (specification 2.9). */
  version(call?: Call): Promise<Readonly<Record<string, unknown>>>;
  /** Resolves when the server can do its work; else throws `ServiceUnavailable`, with what fails in `details`. */
  ready(call?: Call): Promise<void>;
}

type GateChoice = Partial<Pick<GateQuery, 'mode' | 'takenOver'>>;

interface RunItems {
  /** Null where the server had no answer in time. */
  readonly status: DataSourceStatus | null;
  readonly items: readonly JsonRecord[];
}

/** Documents that can be read as a whole: all runs, all agents, all functions, or the events of one run. */
type DocumentName = 'workflows' | 'agents' | 'providers' | { readonly workflowId: string };

export interface WorkflowReport {
  readonly status: WorkflowStatus;
  readonly events: readonly LoggedEvent[];
}

interface EventQuery {
  readonly fieldSelector?: string | undefined;
  readonly labelSelector?: string | undefined;
  /** Events of a page; absent, as many as there may be. */
  readonly pageSize?: number | undefined;
}

interface TestCaseQuery {
  readonly scope?: string;
  readonly untilComplete?: boolean;
}

/** Waiting for data that the server still prepares: about 45 seconds in all. */
const PREPARATION = { firstMs: 50, maxMs: 1_000, attemptsMax: 64 } as const;
const PAGE_SIZE = '1000';

export function createClient(options: ClientOptions): Client {
  const transport = createTransport(options);
  const sleep = options.sleep ?? systemSleep;
  const random = options.random ?? Math.random;
  const now = options.now ?? (() => performance.now());
  const runs = createRunReader(transport, (attempts, signal) =>
    sleep(retryDelayMs(attempts, PREPARATION, random), signal),
  );

  return {
    baseUrl: transport.baseUrl,
    startWorkflow: (start, call) =>
      startPatiently(() => startWorkflow(transport, start, call), { sleep, random, now, ...call }),
    ...createEventReader({ transport, sleep, random }),
    ...earlierRuns({ transport, sleep, random, now }),
    attachment: (workflowId, attachmentId, call) => {
      const path = workflowPath(workflowId, `files/${encodeURIComponent(attachmentId)}`);
      return openAttachment(transport, path, call?.signal);
    },
    requestInsights: (workflowId, wanted, call) =>
      requestInsights(transport, workflowPath(workflowId, 'insights'), {
        ...wanted,
        signal: call?.signal,
      }),
    ...runs,
    ...createItemReader({ transport, sleep, now }),
    gate: (workflowId, query, call) =>
      judgeByGate({ transport, sleep, now }, workflowPath(workflowId, 'qualitygate'), {
        ...query,
        signal: call?.signal,
      }),
    workflows: async (call) => {
      const query = { expand: 'manifest' };
      return parseWorkflows((await transport.json({ ...call, path: '/workflows', query })).body);
    },
    list: (name, { signal, ...selection } = {}) =>
      listResources(transport, name, selection, signal),
    publications: (selection = {}, call = {}) =>
      watchPublications(transport, selection, call.signal),
    document: (name, call) => readWholeDocument(transport, { ...documentRequest(name), ...call }),
    ask: async (request) => {
      const { response, body } = await transport.json(request);
      if (isRecord(body)) return body;
      throw unexpected(response.url, 'a document');
    },
    version: async (call) => {
      const details = detailsOf((await transport.json({ ...call, path: '/version' })).body);
      const items = details?.items;
      return typeof items === 'object' && items !== null ? { ...items } : {};
    },
    ready: async (call) => {
      const response = await transport.send({ ...call, path: '/health', query: { ready: '' } });
      await response.body?.cancel();
    },
  };
}

/** Data sources of one run. */
function createItemReader(
  reading: Parameters<typeof testCasePages>[0],
): Pick<Client, 'testCasePages' | 'runItems'> {
  const pagesOf = (kind: string, workflowId: string, query: TestCasePagesQuery & Call) =>
    testCasePages(reading, workflowPath(workflowId, `datasources/${kind}`), query);
  return {
    testCasePages: (workflowId, query, call) =>
      pagesOf('testcases', workflowId, { ...query, signal: call?.signal }),
    runItems: async (workflowId, kind, query, call) => {
      const pages: TestCasePage[] = [];
      for await (const page of pagesOf(kind, workflowId, { ...query, signal: call?.signal })) {
        pages.push(page);
      }
      const items = pages.flatMap((page) => page.items);
      return { status: pages.at(-1)?.status ?? null, items };
    },
  };
}

/** Reads events and logs of one run as they come. */
function createEventReader(
  reading: LogDependencies,
): Pick<Client, 'watch' | 'eventPages' | 'logs' | 'logPart'> {
  const { transport } = reading;
  return {
    watch: (workflowId, call) =>
      watchWorkflow(
        { ...reading, readPage },
        {
          path: workflowPath(workflowId, 'status'),
          query: { fieldSelector: call?.fieldSelector, labelSelector: call?.labelSelector },
          signal: call?.signal,
        },
      ),
    eventPages: (workflowId, call) => eventPages(transport, workflowId, call),
    logs: (workflowId, { follow = false, ...query } = {}) => {
      const read = follow ? followLog : readLog;
      return read(reading, workflowPath(workflowId, 'logs'), query);
    },
    logPart: (workflowId, range, call) =>
      readLogPart(transport, workflowPath(workflowId, 'logs'), range, call?.signal),
  };
}

function workflowPath(workflowId: string, rest?: string): string {
  const path = `/workflows/${encodeURIComponent(workflowId)}`;
  return rest === undefined ? path : `${path}/${rest}`;
}

function documentRequest(name: DocumentName): ApiRequest {
  if (name === 'agents' || name === 'providers') return { path: `/${name}` };
  if (name === 'workflows') return { path: '/workflows', query: { expand: 'manifest' } };
  return { path: workflowPath(name.workflowId, 'status'), query: { per_page: PAGE_SIZE } };
}

const hasNext = (response: Answer): boolean => nextQuery(response.headers.get('link')) !== null;

function readPage(response: Answer, body: unknown): EventPage {
  return parseEventPage(response.url, body, hasNext(response));
}

const linesOf = (entries: Readonly<Record<string, string>>): string =>
  Object.entries(entries)
    .map(([name, value]) => `${name}=${value}`)
    .join('\n');

async function startWorkflow(
  transport: Transport,
  start: StartWorkflow,
  call: Call & StartCall = {},
): Promise<string> {
  const body = multipartBody({
    file: { name: 'workflow', filename: 'workflow.yaml', text: start.manifestText },
    fields: {
      ...(start.variables === undefined ? {} : { variables: linesOf(start.variables) }),
      ...(start.inputs === undefined ? {} : { inputs: linesOf(start.inputs) }),
    },
    blobs: start.files ?? {},
  });
  const jobs = start.jobs?.join(',');
  const dryRun = start.dryRun === true ? 'true' : undefined;
  const strict = start.strict === true ? 'true' : undefined;
  const { namespace, version, branch } = start;
  const query = { namespace, jobs, dryRun, strict, version, branch };
  const { signal } = call;
  const answer = await transport.json({ method: 'POST', path: '/workflows', query, body, signal });
  const workflowId = parseStartedWorkflow(answer.response.url, answer.body);
  checkStarted(answer.response, workflowId, { jobs, strict });
  const warnings = warningsOf(detailsOf(answer.body));
  if (warnings.length > 0) call.onWarnings?.(warnings);
  return workflowId;
}

type RunReader = Pick<Client, 'status' | 'testcases' | 'qualitygate' | 'workers' | 'causes'>;

/** Reads the state of one run. `pause` waits before the given attempt. */
function createRunReader(
  transport: Transport,
  pause: (attempt: number, signal: AbortSignal | undefined) => Promise<void>,
): RunReader {
  /** Asks until the answer is ready, at most `attemptsMax` times; null when it never was. */
  async function prepared<T>(
    call: Call,
    ask: () => Promise<{ readonly answer: T | null; readonly isReady: boolean }>,
  ): Promise<T | null> {
    for (let attempts = 0; ; attempts += 1) {
      const { answer, isReady } = await ask();
      if (isReady || attempts === PREPARATION.attemptsMax) return answer;
      await pause(attempts, call.signal);
    }
  }

  return {
    status: (workflowId, call = {}) => readEvents(transport, workflowId, call),
    workers: async (workflowId, call) => {
      const path = workflowPath(workflowId, 'workers');
      const { response, body } = await transport.json({ ...call, path });
      return parseWorkers(response.url, body);
    },
    causes: async (workflowId, call) => {
      const path = workflowPath(workflowId, 'causes');
      const { response, body } = await transport.json({ ...call, path });
      return parseCauses(response.url, body);
    },
    testcases: async (workflowId, call = {}) => {
      const list = await prepared(call, async () => {
        const answer = await readTestCases(transport, workflowId, call);
        const isReady = answer !== null && (!call.untilComplete || answer.status !== 'ONGOING');
        return { answer, isReady };
      });
      return list ?? { status: 'ONGOING', items: [], warnings: [] };
    },
    qualitygate: (workflowId, call = {}) =>
      prepared(call, () => readQualityGate(transport, workflowId, call)),
  };
}

async function readEvents(
  transport: Transport,
  workflowId: string,
  call: Call,
): Promise<WorkflowReport> {
  const events: LoggedEvent[] = [];
  let status: WorkflowStatus = 'PENDING';
  for await (const page of eventPages(transport, workflowId, call)) {
    events.push(...page.events);
    status = page.status;
  }
  return { status, events };
}

async function* eventPages(
  transport: Transport,
  workflowId: string,
  { fieldSelector, labelSelector, pageSize, signal }: Call & EventQuery = {},
): AsyncGenerator<WorkflowReport, void, undefined> {
  const path = workflowPath(workflowId, 'status');
  let query: Readonly<Record<string, string | undefined>> | null = {
    per_page: pageSize === undefined ? PAGE_SIZE : String(pageSize),
    fieldSelector,
    labelSelector,
  };
  while (query !== null) {
    const { response, body } = await transport.json({ path, query, signal });
    const page = readPage(response, body);
    yield { status: page.status, events: page.entries.filter((entry) => entry !== null) };
    query = nextQuery(response.headers.get('link'));
  }
}

/** Null while the server prepares them. */
async function readTestCases(
  transport: Transport,
  workflowId: string,
  { scope, signal }: Call & TestCaseQuery,
): Promise<TestCaseList | null> {
  const path = workflowPath(workflowId, 'datasources/testcases');
  const items: TestCase[] = [];
  const first = scope === undefined ? { per_page: PAGE_SIZE } : { per_page: PAGE_SIZE, scope };
  let query: Readonly<Record<string, string>> | null = first;
  for (;;) {
    const { response, body } = await transport.json({ path, query, signal });
    if (isPreparing(body)) return null;
    const page = parseTestCases(response.url, body);
    items.push(...page.items);
    query = nextQuery(response.headers.get('link'));
    if (query === null) return { ...page, items };
  }
}

async function readQualityGate(
  transport: Transport,
  workflowId: string,
  { mode, takenOver, signal }: Call & GateChoice,
): Promise<{ readonly answer: QualityGateStatus | null; readonly isReady: boolean }> {
  const path = workflowPath(workflowId, 'qualitygate');
  try {
    const query = { mode, takenOver: takenOver === true ? 'true' : undefined };
    const { response, body } = await transport.json({ path, query, signal });
    if (isPreparing(body)) return { answer: null, isReady: false };
    return { answer: parseQualityGate(response.url, body), isReady: true };
  } catch (error) {
    if (isOrchestratorError(error) && error.reason === 'NotFound') {
      return { answer: null, isReady: true };
    }
    throw error;
  }
}
