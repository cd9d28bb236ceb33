/** Warnings of servers, such as those about test reports that cannot be read whole: on standard error, where no program looks for results. */
import type { Client } from '@tutti/client';
import type { Io } from '../terminal/io.ts';
import { cleanLine } from '../terminal/style.ts';

/** One line for each. */
export function complainOf(warnings: readonly string[], io: Pick<Io, 'complain'>): void {
  for (const warning of warnings) io.complain(`tutti: ${cleanLine(warning)}\n`);
}

/** The warnings on a run alone; none where the server has no test cases to tell. Never rejects: what they stand beside is worth more. */
export async function reportWarningsOf(
  client: Pick<Client, 'testCasePages'>,
  workflowId: string,
): Promise<readonly string[]> {
  try {
    for await (const { warnings } of client.testCasePages(workflowId, { waitMs: 0, pageSize: 1 })) {
      return warnings;
    }
  } catch {
    // Told by what was asked for itself, if it matters.
  }
  return [];
}
