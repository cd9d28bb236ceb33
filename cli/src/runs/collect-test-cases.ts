/** The test cases of a run that has ended. */
import type { Client, TestCase } from '@tutti/client';
import { isOrchestratorError } from '@tutti/manifests';

export interface CollectedTestCases {
  readonly items: readonly TestCase[];
  /** False when the server still reads reports, or could not be asked. */
  readonly isComplete: boolean;
  /** Sentences on reports of which test cases may be missing. */
  readonly warnings: readonly string[];
}

/**
 * Reports are read after the end of the run; `untilComplete` waits for them. A server without test cases refuses the list; then
 * there are none. Never rejects: the result is worth showing without them.
 */
export async function collectTestCases(
  client: Client,
  workflowId: string,
  options: { readonly untilComplete: boolean },
): Promise<CollectedTestCases> {
  try {
    const { items, status, warnings } = await client.testcases(workflowId, options);
    return { items, isComplete: status !== 'ONGOING', warnings };
  } catch (error) {
    return { items: [], isComplete: isOrchestratorError(error), warnings: [] };
  }
}
