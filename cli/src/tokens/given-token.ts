/** Finds the token for a command: an argument, standard input, or a file. */
import type { Io } from '../terminal/io.ts';
import { UsageError } from '../terminal/problem.ts';
import { readInput } from '../terminal/read-input.ts';
import { createTokenReader } from './token-file.ts';

export interface TokenFileOption {
  readonly tokenFile?: string | undefined;
}

/** Null without a token. Throws `UsageError` for two. */
export async function givenToken(
  argument: string | undefined,
  { tokenFile }: TokenFileOption,
  io: Io,
): Promise<string | null> {
  if (argument !== undefined && tokenFile !== undefined) {
    throw new UsageError('Two tokens are given.', 'leave out the argument or --token-file.');
  }
  if (argument === '-') return await readInput(io);
  if (argument !== undefined) return argument.trim();
  return tokenFile === undefined ? null : createTokenReader(tokenFile)().trim();
}

export const NO_TOKEN = new UsageError(
  'No token is given.',
  'name a file with --token-file, or send the token on standard input with -.',
);

/** The text is not shown: it may be another secret. */
export const noSuchToken = (): UsageError =>
  new UsageError(
    'That is no signed token (JWT).',
    'give the token alone; those of auth.tokenFile are plain words, of which only the server knows more.',
  );
