/** The answer of a gate for a run, in the form for its team. */
import type { Client, GateReport, JsonRecord } from '@tutti/client';
import { cleanLine } from '@tutti/run-view/text';
import { valuesAt } from '../resources/value-path.ts';

export interface GateVerdict {
  readonly workflowId: string;
  /** Name of the gate. */
  readonly mode: string;
  readonly report: GateReport;
}

/** A verdict with the test cases that failed. */
export interface VerdictNote extends GateVerdict {
  readonly status: 'SUCCESS' | 'NOTEST' | 'FAILURE';
  readonly failed: readonly FailedTest[];
  /** True if further failed test cases exist. */
  readonly hasMore: boolean;
}

export interface FailedTest {
  readonly name: string;
  readonly job: string;
  /** One line; empty if the report has no message. */
  readonly message: string;
  /** All that the report said, which may name the place. */
  readonly details: string;
}

/** Limit of listed failed test cases; users can ask for all of them. */
const FAILED_MAX = 20;
/** Page size, as test cases of rerun jobs are skipped. */
const FAILED_PAGE = 100;
const MESSAGE_LENGTH_MAX = 300;
const FAILED = 'test.outcome in (failure,error)';

/** Null without a verdict. */
export async function verdictNote(
  client: Client,
  verdict: GateVerdict,
): Promise<VerdictNote | null> {
  const { status } = verdict.report;
  if (status === null || status === 'RUNNING') return null;
  const items: JsonRecord[] = [];
  for (const source of sourcesOf(verdict)) {
    if (items.length <= FAILED_MAX) items.push(...(await failedItems(client, source)));
  }
  const failed = items.slice(0, FAILED_MAX).map(failedTest);
  return { ...verdict, status, failed, hasMore: items.length > FAILED_MAX };
}

/** A source of failed test cases: the run itself, or jobs that it took over. */
interface Source {
  readonly workflowId: string;
  /** Ids of the jobs; null for all. */
  readonly jobIds: ReadonlySet<unknown> | null;
}

function sourcesOf({ workflowId, report }: GateVerdict): readonly Source[] {
  const earlier = report.takenOver.filter(({ isLost }) => !isLost);
  return [
    { workflowId, jobIds: null },
    ...earlier.map((each) => ({ workflowId: each.workflowId, jobIds: new Set(each.jobIds) })),
  ];
}

/** One more than the limit, if there are. Never rejects: a verdict is useful without them. */
async function failedItems(
  client: Client,
  { workflowId, jobIds }: Source,
): Promise<readonly JsonRecord[]> {
  const query = { fieldSelector: FAILED, waitMs: 0, pageSize: FAILED_PAGE };
  const found: JsonRecord[] = [];
  try {
    for await (const { items } of client.testCasePages(workflowId, query)) {
      found.push(...items.filter((item) => jobIds?.has(jobIdOf(item)) ?? true));
      if (found.length > FAILED_MAX) break;
    }
  } catch {
    // A server that keeps no test cases, or that has gone meanwhile.
  }
  return found.slice(0, FAILED_MAX + 1);
}

const jobIdOf = (item: JsonRecord): unknown => valuesAt(item, ['metadata', 'job_id'])[0];

function failedTest(item: JsonRecord): FailedTest {
  const text = (...path: string[]) => {
    const [value] = valuesAt(item, path);
    return typeof value === 'string' ? value : '';
  };
  const parts = ['failureDetails', 'errorDetails'].flatMap((kind) =>
    ['message', 'text', 'type'].map((part) => text('execution', kind, part)),
  );
  const said = parts.filter((part) => part.trim() !== '');
  return {
    name: cleanLine(text('metadata', 'name')),
    job: cleanLine(text('test', 'job')),
    message: cut(cleanLine(firstLine(said[0] ?? ''))),
    details: said.join('\n'),
  };
}

const firstLine = (text: string): string => text.trim().split(/\r?\n/, 1)[0] ?? '';

const cut = (text: string): string =>
  text.length > MESSAGE_LENGTH_MAX ? `${text.slice(0, MESSAGE_LENGTH_MAX)}…` : text;
