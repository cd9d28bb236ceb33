/** Servers name the parameters of a query that they took in (client facts 2.3). Others answer as if these were not there. */
import type { Answer } from './transport.ts';

/** A run was started otherwise than it was asked for, since the server does not know a parameter. */
export class IgnoredParameterError extends Error {
  override readonly name = 'IgnoredParameterError';
  readonly parameter: string;
  readonly workflowId: string;

  constructor(parameter: string, workflowId: string) {
    super(`The server started workflow ${workflowId} without regard to "${parameter}".`);
    this.parameter = parameter;
    this.workflowId = workflowId;
  }
}

type Given = Readonly<Record<string, string | undefined>>;

/** The first of these parameters that was given and that the answer does not name; null where there is none. */
export function ignoredParameter(headers: Answer['headers'], given: Given): string | null {
  const processed = (headers.get('x-processed-query') ?? '').split(',').map((each) => each.trim());
  const names = Object.keys(given).filter((name) => given[name] !== undefined);
  return names.find((name) => !processed.includes(name)) ?? null;
}

/** Throws `IgnoredParameterError` where the answer to a start does not regard one of these. */
export function checkStarted({ headers }: Answer, workflowId: string, given: Given): void {
  const parameter = ignoredParameter(headers, given);
  if (parameter !== null) throw new IgnoredParameterError(parameter, workflowId);
}
