import { describeError } from '../agent-logger.ts';

/** The token could not be read, so that nothing was asked: the server has no part in it. */
export class TokenProblem extends Error {
  override readonly name = 'TokenProblem';

  constructor(cause: unknown) {
    super(describeError(cause), { cause });
  }
}
