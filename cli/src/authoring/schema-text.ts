/** The schema of workflows, as editors read it from a file. */
import type { ListedFunction } from '@tutti/manifests/reference';

export async function schemaText(
  functions: readonly ListedFunction[],
  apiGroup?: string,
): Promise<string> {
  const { publishedWorkflowSchema } = await import('@tutti/manifests/reference');
  return `${JSON.stringify(publishedWorkflowSchema(apiGroup, functions), null, 2)}\n`;
}
