/** Does the same to several things of a server: a refusal of one does not stop the others. */
import { type FailureReason, isOrchestratorError } from '@tutti/manifests';
import { EXIT_CODES } from '../terminal/exit-codes.ts';
import type { Io } from '../terminal/io.ts';
import { problemOf, renderProblem } from '../terminal/problem.ts';

/** Refusals that every other item would get, too. */
const HOPELESS: ReadonlySet<FailureReason> = new Set(['Unauthorized']);

/**
 * Prints each result of `act` on a line. Resolves with the exit code, which is a problem if one was refused. Throws failures that
 * concern all: an unreachable server, a refused token.
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
