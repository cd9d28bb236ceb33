/** `tutti tokens rotate`: revokes all tokens of a data directory's server. */
import { isOrchestratorError } from '@tutti/manifests';
import { cleanOutput } from '@tutti/run-view/text';
import { type DataDirOption, dataDirOf } from '../connection/data-directory.ts';
import { asCalled } from '../terminal/command-name.ts';
import { EXIT_CODES } from '../terminal/exit-codes.ts';
import type { Io } from '../terminal/io.ts';
import { UsageError } from '../terminal/problem.ts';

export type TokenRotateOptions = DataDirOption;

/** Replaces the key of a server, which ends all of its tokens. Resolves with the exit code. */
export async function rotateTokens(options: TokenRotateOptions, io: Io): Promise<number> {
  const { loadTokenTools, systemClock } = await import('@tutti/server');
  const { rotateSigningKey } = await loadTokenTools();
  const dataDir = dataDirOf(options, io);
  const { file } = await rotateSigningKey(dataDir, systemClock).catch(withAdvice);
  io.screen.write(cleanOutput(asCalled(doneText(file), io.command), false));
  return EXIT_CODES.done;
}

/** A directory without a key is probably the wrong one. */
function withAdvice(error: unknown): never {
  if (!isOrchestratorError(error) || error.reason !== 'Invalid') throw error;
  throw new UsageError(
    error.message,
    'name the data directory of the server with --data-dir or TUTTI_DATA_DIR; a new one gets its key when its server starts.',
  );
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
