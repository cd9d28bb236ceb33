/** Commands that do the same to several workflows. */
import type { Client } from '@tutti/client';
import type { SelectorOptions } from '../options/selector-options.ts';
import type { Io } from '../terminal/io.ts';
import { problemOf, renderProblem, UsageError } from '../terminal/problem.ts';
import { resolveWorkflowId } from './workflow-ref.ts';

/** The whole ids. All of them are resolved before the first action. */
export async function resolveWorkflowIds(
  client: Client,
  texts: readonly string[],
): Promise<readonly string[]> {
  const ids: string[] = [];
  for (const text of texts) ids.push(await resolveWorkflowId(client, text));
  return [...new Set(ids)];
}

/** Returns the ids for which it succeeded. With several ids, it reports each refusal and continues. */
export async function doWithEach(
  ids: readonly string[],
  act: (id: string) => Promise<void>,
  io: Io,
): Promise<readonly string[]> {
  const done: string[] = [];
  for (const id of ids) {
    try {
      await act(id);
      done.push(id);
    } catch (error) {
      if (ids.length === 1) throw error;
      io.complain(renderProblem(problemOf(error), io.command));
    }
  }
  return done;
}

export const isBySelector = ({ selector, fieldSelector }: SelectorOptions): boolean =>
  selector !== undefined || fieldSelector !== undefined;

/** Checks how workflows are named. Throws `UsageError` unless there is exactly one way. */
export function checkWays(
  texts: readonly string[],
  options: SelectorOptions & { readonly all?: boolean },
  [ways, next]: readonly [ways: string, next: string],
): void {
  const given = [texts.length > 0, isBySelector(options), options.all === true];
  const count = given.filter((way) => way).length;
  if (count > 1) {
    throw new UsageError(
      `Workflows are named by ${ways}, and not in two of these ways.`,
      'leave one of them out.',
    );
  }
  if (count === 0) throw new UsageError('No workflow is named.', next);
}
