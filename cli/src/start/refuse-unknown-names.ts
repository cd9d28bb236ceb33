/** Asks the server for its quality gates and reports before a run starts. Otherwise a wrong name is found at the end. */
import type { Client } from '@tutti/client';
import { isOrchestratorError } from '@tutti/manifests';
import { didYouMean } from '@tutti/manifests/documents';
import type { EndOptions } from '../options/end-options.ts';
import { HTML_REPORT } from '../runs/html-report.ts';
import { UsageError } from '../terminal/problem.ts';

/** Limit of listed names. */
const NAMES_MAX = 20;

/** Checks names of gates and reports before the start. Throws `UsageError` for a name that the server does not know. */
export async function refuseUnknownNames(
  client: Client,
  { gate, report = [] }: Pick<EndOptions, 'gate' | 'report'>,
): Promise<void> {
  if (gate !== undefined) {
    const gates = await namesAt(client, '/qualitygates');
    if (gates !== null) refuseOthers('quality gate', gate, gates);
  }
  // The page needs no definition.
  const asked = report.map(({ name }) => name).filter((name) => name !== HTML_REPORT);
  if (asked.length === 0) return;
  const reports = await namesAt(client, '/insights');
  for (const name of reports === null ? [] : asked)
    refuseOthers('report', name, [...(reports ?? []), HTML_REPORT]);
}

/** Names of things, and of their files. Null from a server that does not list them. */
async function namesAt(client: Client, path: string): Promise<readonly string[] | null> {
  try {
    const { details } = await client.ask({ path });
    const items: unknown = isRecord(details) ? details.items : [];
    const found = Array.isArray(items) ? items.filter(isRecord) : [];
    return found
      .flatMap(({ name, file }) => [name, file])
      .filter((name) => typeof name === 'string');
  } catch (error) {
    if (isOrchestratorError(error) && error.reason === 'NotFound') return null;
    throw error;
  }
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function refuseOthers(what: string, name: string, known: readonly string[]): void {
  if (known.includes(name)) return;
  const shown = known.slice(0, NAMES_MAX).join(', ');
  const more = known.length > NAMES_MAX ? ` and ${known.length - NAMES_MAX} more` : '';
  throw new UsageError(
    `There is no ${what} "${name}"${didYouMean(name, known) || '.'} Nothing was started.`,
    known.length === 0 ? 'leave it out: there are none.' : `take one of: ${shown}${more}.`,
  );
}
