/** The same done to several things of a server: a refusal of one does not keep the others from it. */
import { type FailureReason, isOrchestratorError } from '@tutti/manifests';
import { EXIT_CODES } from '../terminal/exit-codes.ts';
import type { Io } from '../terminal/io.ts';
import { problemOf, renderProblem } from '../terminal/problem.ts';

/** What would be refused for all others, too. */
const HOPELESS: ReadonlySet<FailureReason> = new Set(['Unauthorized']);

/**
 * Prints what `act` resolves with, a line for each; resolves with the exit code, which is that of a problem if one was refused. Throws
 * what is wrong for all: a server that cannot be reached, a token that is refused.
 */
export async function forEachItem(
  ids: readonly string[],
  act: (id: string) => Promise<string>,
  io: Io,
): Promise<number> {
  let code: number = EXIT_CODES.done;
  for (const id of ids) {
    try {
      io.screen.write(`${await act(id)}\n`);
    } catch (error) {
      if (!isOrchestratorError(error) || HOPELESS.has(error.reason) || ids.length === 1)
        throw error;
      io.complain(renderProblem(problemOf(error), io.command));
      code = EXIT_CODES.problem;
    }
  }
  return code;
}
