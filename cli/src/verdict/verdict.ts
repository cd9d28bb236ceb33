/** What a gate said of a run, as it is told where the team reads it. */
import type { Client, GateReport, JsonRecord } from '@tutti/client';
import { valuesAt } from '../resources/value-path.ts';
import { cleanLine } from '../run-view/style.ts';

export interface GateVerdict {
  readonly workflowId: string;
  /** Name of the gate. */
  readonly mode: string;
  readonly report: GateReport;
}

/** A verdict with the test cases that failed. */
export interface ToldVerdict extends GateVerdict {
  readonly status: 'SUCCESS' | 'NOTEST' | 'FAILURE';
  readonly failed: readonly FailedTest[];
  /** There are others. */
  readonly hasMore: boolean;
}

export interface FailedTest {
  readonly name: string;
  readonly job: string;
  /** One line; empty where the report said nothing. */
  readonly message: string;
  /** All that the report said, which may name the place. */
  readonly details: string;
}

/** Failed test cases that are told; whoever wants more asks for all of them. */
const FAILED_MAX = 20;
const MESSAGE_LENGTH_MAX = 300;
const FAILED = 'test.outcome in (failure,error)';

/** Null where there is no verdict. */
export async function toldVerdict(
  client: Client,
  verdict: GateVerdict,
): Promise<ToldVerdict | null> {
  const { status } = verdict.report;
  if (status === null || status === 'RUNNING') return null;
  const items = await failedItems(client, verdict.workflowId);
  const failed = items.slice(0, FAILED_MAX).map(failedTest);
  return { ...verdict, status, failed, hasMore: items.length > FAILED_MAX };
}

/** Those of the run itself. Never rejects: a verdict is worth telling without them. */
async function failedItems(client: Client, workflowId: string): Promise<readonly JsonRecord[]> {
  const query = { fieldSelector: FAILED, waitMs: 0, pageSize: FAILED_MAX + 1 };
  try {
    for await (const { items } of client.testCasePages(workflowId, query)) return items;
  } catch {
    // A server that keeps no test cases, or that has gone meanwhile.
  }
  return [];
}

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
