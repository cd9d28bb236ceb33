/** The check of workflows with the libraries that it needs, loaded when a command checks some. */
import type { WorkflowReport, WorkflowUse } from '@tutti/workflow/validation';
import type { Io } from '../terminal/io.ts';
import { asKnown, type FoundFunctions } from './known-functions.ts';

export interface ReporterOptions {
  /** Descriptions of providers are checked, too. */
  readonly withProviders?: boolean;
  /** Functions that steps may call; any if absent. */
  readonly functions?: FoundFunctions | undefined;
}

/** `apiGroup` is that of the target server; by default, that of the environment. */
export async function createReporter(
  apiGroup: string | undefined,
  env: Io['env'],
  { withProviders = false, functions }: ReporterOptions = {},
): Promise<(text: string, use?: WorkflowUse) => WorkflowReport> {
  const [yaml, schemas, { createWorkflowReporter }] = await Promise.all([
    import('yaml'),
    import('ajv/dist/2019.js'),
    import('@tutti/workflow/validation'),
  ]);
  const others = withProviders ? [(await import('./provider-kind.ts')).providerKind(schemas)] : [];
  return createWorkflowReporter({
    yaml,
    schemas,
    others,
    functions: functions === undefined ? undefined : await asKnown(functions),
    apiGroup: apiGroup ?? (env.TUTTI_API_GROUP || undefined),
  });
}
