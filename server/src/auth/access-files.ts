/** All files that decide access, with their current content: they are read anew when they change. */
import type { Clock } from '../runtime/clock.ts';
import type { ServerConfig } from '../runtime/config.ts';
import type { Logger } from '../runtime/logger.ts';
import { lookAt } from '../runtime/seen-file.ts';
import { readBounded } from './bounded-file.ts';
import { FileLooks } from './file-looks.ts';
import { reasonOf, unusableFile } from './file-problem.ts';
import { keyFiles } from './key-files.ts';
import { AUTH_LIMITS } from './limits.ts';
import { type Policy, parsePolicyFile } from './policies.ts';
import type { RevokedTokens } from './revoked-tokens.ts';
import { NO_TOKENS, parseTokenFile, type StaticTokens } from './static-tokens.ts';
import { type LoadedKeys, loadTrustedKeys, type TrustedKey } from './trusted-keys.ts';

/** Content of the files when they were read; replaced as a whole. */
export interface FileTrust {
  readonly keys: readonly TrustedKey[];
  readonly tokens: StaticTokens;
  readonly policies: readonly Policy[];
  /** Absent if no list is configured. */
  readonly revoked?: RevokedTokens;
}

type ReadTrust = FileTrust & LoadedKeys;

export interface AccessFiles {
  /**
   * The same object as long as nothing changed. A file that cannot be used any more is logged. Its previous content stays, since a
   * half-written file must lock nobody out. Changes of other files still count.
   */
  current(): Promise<FileTrust>;
  /** Reads changed files, then returns `current`. */
  look(): Promise<FileTrust>;
}

export interface AccessFilesDeps {
  readonly auth: Pick<ServerConfig['auth'], 'trustedKeys' | 'tokenFile' | 'policyFile'>;
  readonly apiGroup: string;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly logger: Logger;
}

/** Reads all files. Throws `Invalid` naming the file that is wrong, with the line and what to do. */
export async function openAccessFiles(deps: AccessFilesDeps): Promise<AccessFiles> {
  const { auth, clock } = deps;
  let seen = await seenOf(auth);
  let emptied = '';
  let trust = await readAll(deps, null);
  logLeftOut(trust, deps.logger);
  const looks = new FileLooks(async () => {
    // Looked at before they are read: what changes meanwhile is found the next time.
    const found = await seenOf(auth);
    if (found.marks === seen.marks) return;
    const isEmptied = found.empty.some((file) => !seen.empty.includes(file));
    if (isEmptied && found.marks !== emptied) {
      // Many programs empty a file and then write it. So an emptied file counts when the next look finds it unchanged.
      emptied = found.marks;
      return;
    }
    seen = found;
    trust = await readAgain(deps, trust);
  }, clock);
  return {
    current: async () => {
      const look = looks.due();
      if (look !== null) await look;
      return trust;
    },
    look: async () => {
      await looks.now();
      return trust;
    },
  };
}

type AuthConfig = AccessFilesDeps['auth'];

interface SeenFiles {
  /** Differs whenever one of the files may have changed; empty when there are none. */
  readonly marks: string;
  /** Files of tokens or policies without a byte. */
  readonly empty: readonly string[];
}

/** With why there are no marks as the marks: both only need to differ when something changes. */
const seenOf = (auth: AuthConfig): Promise<SeenFiles> =>
  lookAtFiles(auth).catch((error) => ({ marks: reasonOf(error), empty: [] }));

async function lookAtFiles({ trustedKeys, tokenFile, policyFile }: AuthConfig): Promise<SeenFiles> {
  const keys = await Promise.all(trustedKeys.map(({ path }) => keyFiles(path)));
  const others = [tokenFile, policyFile].filter((file) => file !== undefined);
  const texts = await Promise.all(others.map(lookAt));
  return {
    marks: [...keys.flat(), ...texts].map(({ file, mark }) => `${file} ${mark}`).join('\n'),
    empty: texts.filter(({ size }) => size === 0).map(({ file }) => file),
  };
}

async function readAgain(deps: AccessFilesDeps, before: ReadTrust): Promise<ReadTrust> {
  const trust = await readAll(deps, before);
  deps.logger.info('The files that decide access were read again.');
  for (const why of trust.kept) {
    deps.logger.error(`A file that decides access changed, but what was known of it stays: ${why}`);
  }
  logLeftOut(trust, deps.logger);
  return trust;
}

function logLeftOut({ leftOut }: ReadTrust, logger: Logger): void {
  for (const why of leftOut.values())
    logger.warn(`A file beside the trusted keys is left out: ${why}`);
}

/** Throws for mistakes at the start. Later (`before`) each wrong file keeps its previous content. */
async function readAll(deps: AccessFilesDeps, before: ReadTrust | null): Promise<ReadTrust> {
  const { tokenFile, policyFile, trustedKeys } = deps.auth;
  const loaded = await loadTrustedKeys(trustedKeys, before);
  if (tokenFile === undefined && policyFile === undefined) {
    return { ...loaded, tokens: NO_TOKENS, policies: [] };
  }
  if (policyFile === undefined) throw alone('token file', tokenFile, 'auth.policyFile');
  if (tokenFile === undefined) throw alone('policy file', policyFile, 'auth.tokenFile');
  const kept = [...loaded.kept];
  const tokens = await orBefore(readTokens(tokenFile), before?.tokens, kept);
  const policies = await orBefore(readPolicies(policyFile, deps), before?.policies, kept);
  return { ...loaded, tokens, policies, kept };
}

async function orBefore<Said>(
  reading: Promise<Said>,
  before: Said | undefined,
  kept: string[],
): Promise<Said> {
  try {
    return await reading;
  } catch (error) {
    if (before === undefined) throw error;
    kept.push(reasonOf(error));
    return before;
  }
}

const readTokens = async (file: string): Promise<StaticTokens> =>
  parseTokenFile(await readBounded('token file', file, AUTH_LIMITS.accessFileBytes), file);

async function readPolicies(
  file: string,
  { apiGroup }: AccessFilesDeps,
): Promise<readonly Policy[]> {
  const text = await readBounded('policy file', file, AUTH_LIMITS.accessFileBytes);
  return parsePolicyFile(text, file, apiGroup);
}

const alone = (what: string, file: string | undefined, other: string) =>
  unusableFile(what, String(file), `it says nothing without the other file; set ${other} too.`);
