/** The page about a run that needs no file with definitions. */
import type { Client } from '@tutti/client';
import { type Collected, collectReports } from './collect-reports.ts';

/** The name by which `--report` asks for it. */
export const HTML_REPORT = 'html';

const DEFINITION = 'insights:\n- name: report\n  kind: SummaryReport\n';

/** A report with the default sections, made now. */
export const htmlReport = (client: Client, workflowId: string, waitMs: number) =>
  requestReports(client, workflowId, { definition: new Blob([DEFINITION]), pattern: '*', waitMs });

export interface Requested {
  readonly definition: Blob;
  /** Pattern of their names. */
  readonly pattern: string;
  readonly waitMs: number;
}

/** Asks the server for the reports of a definition, and waits for them. */
export async function requestReports(
  client: Client,
  workflowId: string,
  { definition, pattern, waitMs }: Requested,
): Promise<Collected> {
  const promised = await client.requestInsights(workflowId, { definition, pattern });
  const { requestId, expected, warnings } = promised;
  if (requestId === null || expected.length === 0) {
    const problems = [`The definition has no insight whose name fits "${pattern}".`];
    return { reports: [], problems, isComplete: true };
  }
  const count = expected.length;
  const collected = await collectReports(client, workflowId, { requestId, count, waitMs });
  return { ...collected, problems: [...warnings, ...collected.problems] };
}
