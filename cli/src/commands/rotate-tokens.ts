/** `tutti tokens rotate`: revokes all tokens of a data directory's server. */
import { asCalled } from '../command-name.ts';
import { type DataDirOption, dataDirOf } from '../data-directory.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import type { Io } from '../io.ts';
import { cleanOutput } from '../run-view/style.ts';

export type TokenRotateOptions = DataDirOption;

/** Resolves with the exit code. */
export async function rotateTokens(options: TokenRotateOptions, io: Io): Promise<number> {
  const { loadTokenTools, systemClock } = await import('@tutti/server');
  const { rotateSigningKey } = await loadTokenTools();
  const { file } = await rotateSigningKey(dataDirOf(options, io), systemClock);
  io.screen.write(cleanOutput(asCalled(doneText(file), io.command), false));
  return EXIT_CODES.done;
}

const doneText = (
  file: string,
): string => `The server has a new key. All tokens that it issued before are refused; if it runs, within a second.
New token of the administrator: ${file}
What to do: give new tokens ("tutti tokens create") to
  - agents: those with --token-file take a new file at their next request, others must be started again
  - clients and pipelines, and the users of "tutti config"
  - plugins, and subscriptions whose inboxes ask for a token: subscribe again
Tokens that other keys signed (auth.trustedKeys, auth.keySets) and those of auth.tokenFile stay as they are.
`;
