/** `tutti tokens show`: the content of a token, for people. */

import { cleanOutput } from '@tutti/run-view/text';
import { type OutputFormat, printDocument } from '../options/output-format.ts';
import { asCalled } from '../terminal/command-name.ts';
import { EXIT_CODES } from '../terminal/exit-codes.ts';
import type { Io } from '../terminal/io.ts';
import { givenToken, NO_TOKEN, noSuchToken, type TokenFileOption } from '../tokens/given-token.ts';
import { decodeToken } from '../tokens/token-signature.ts';
import { tokenLines } from '../tokens/token-text.ts';

export interface TokenShowOptions extends TokenFileOption {
  readonly output: OutputFormat;
}

/** Shows the content of a token, without verifying it. Resolves with the exit code. */
export async function showToken(
  argument: string | undefined,
  options: TokenShowOptions,
  io: Io,
): Promise<number> {
  const token = await givenToken(argument, options, io);
  if (token === null) throw NO_TOKEN;
  const decoded = decodeToken(token);
  if (decoded === null) throw noSuchToken();
  const { header, claims } = decoded;
  if (options.output === 'json') {
    printDocument({ isVerified: false, header, claims }, io);
    return EXIT_CODES.done;
  }
  const lines = tokenLines(decoded, io.now());
  io.screen.write(cleanOutput(lines.map((line) => `${line}\n`).join(''), false));
  const hint = 'Not verified: anybody can write this. "tutti tokens check" verifies it.\n';
  io.complain(asCalled(hint, io.command));
  return EXIT_CODES.done;
}
