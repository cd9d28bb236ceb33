import { describeError } from '../agent-logger.ts';

/** The token could not be read, so no request was sent. */
export class TokenProblem extends Error {
  override readonly name = 'TokenProblem';

  constructor(cause: unknown) {
    super(describeError(cause), { cause });
  }
}
