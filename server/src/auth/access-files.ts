/** All files that decide access, and what they say now: they are read anew when they change. */
import { OrchestratorError } from '@tutti/manifests';
import type { Clock } from '../runtime/clock.ts';
import type { ServerConfig } from '../runtime/config.ts';
import type { Logger } from '../runtime/logger.ts';
import { readBounded } from './bounded-file.ts';
import { reasonOf, unusableFile } from './file-problem.ts';
import { AUTH_LIMITS } from './limits.ts';
import { type Policy, parsePolicyFile } from './policies.ts';
import { NO_TOKENS, parseTokenFile, type StaticTokens } from './static-tokens.ts';
import {
  keyFiles,
  type LoadedKeys,
  loadTrustedKeys,
  lookAt,
  type TrustedKey,
} from './trusted-keys.ts';

/** What the files said when they were read; replaced as a whole. */
export interface FileTrust {
  readonly keys: readonly TrustedKey[];
  readonly tokens: StaticTokens;
  readonly policies: readonly Policy[];
}

type ReadTrust = FileTrust & LoadedKeys;

export interface AccessFiles {
  /**
   * The same object as long as nothing changed. Files that cannot be used any more are told to the log and change nothing:
   * a half-written file must lock nobody out.
   */
  current(): Promise<FileTrust>;
}

export interface AccessFilesDeps {
  readonly auth: Pick<ServerConfig['auth'], 'trustedKeys' | 'tokenFile' | 'policyFile'>;
  readonly apiGroup: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Reads all files. Throws `Invalid` naming the file that is wrong, with the line and what to do. */
export async function openAccessFiles(deps: AccessFilesDeps): Promise<AccessFiles> {
  const { auth, clock } = deps;
  const isConfigured =
    auth.trustedKeys.length > 0 || auth.tokenFile !== undefined || auth.policyFile !== undefined;
  let marks = await seenOf(auth);
  let trust = await readAll(deps);
  tellLeftOut(trust, deps.logger);
  let checkedAtMs = clock.now();
  let checking: Promise<void> | null = null;

  const check = async () => {
    // Looked at before they are read: what changes meanwhile is found the next time.
    const found = await seenOf(auth);
    if (found === marks) return;
    marks = found;
    trust = await readAgain(deps, trust);
  };
  return {
    current: async () => {
      if (isConfigured && clock.now() - checkedAtMs >= AUTH_LIMITS.fileCheckMs) {
        checkedAtMs = clock.now();
        checking ??= check().finally(() => {
          checking = null;
        });
      }
      if (checking !== null) await checking;
      return trust;
    },
  };
}

type AuthConfig = AccessFilesDeps['auth'];

/** The marks of the files, or why there are none: both only need to differ when something changes. */
const seenOf = (auth: AuthConfig): Promise<string> => marksOf(auth).catch(reasonOf);

/** Differs whenever one of the files may have changed; empty when there are none. */
async function marksOf({ trustedKeys, tokenFile, policyFile }: AuthConfig): Promise<string> {
  const keys = await Promise.all(trustedKeys.map(({ path }) => keyFiles(path)));
  const others = [tokenFile, policyFile].filter((file) => file !== undefined);
  const files = [...keys.flat(), ...(await Promise.all(others.map(lookAt)))];
  return files.map(({ file, mark }) => `${file} ${mark}`).join('\n');
}

async function readAgain(deps: AccessFilesDeps, before: ReadTrust): Promise<ReadTrust> {
  try {
    const trust = await readAll(deps);
    refuseLoss(trust, before);
    deps.logger.info('The files that decide access were read again.');
    tellLeftOut(trust, deps.logger);
    return trust;
  } catch (error) {
    const why = reasonOf(error);
    deps.logger.error(`The files that decide access changed, but what was known stays: ${why}`);
    return before;
  }
}

/** A file that was a key, is there and is none now may be half-written. */
function refuseLoss({ leftOut }: ReadTrust, { files }: ReadTrust): void {
  for (const [file, why] of leftOut) {
    if (files.has(file)) throw new OrchestratorError('Invalid', why);
  }
}

function tellLeftOut({ leftOut }: ReadTrust, logger: Logger): void {
  for (const why of leftOut.values())
    logger.warn(`A file beside the trusted keys is left out: ${why}`);
}

async function readAll({ auth, apiGroup }: AccessFilesDeps): Promise<ReadTrust> {
  const loaded = await loadTrustedKeys(auth.trustedKeys);
  const { tokenFile, policyFile } = auth;
  if (tokenFile === undefined && policyFile === undefined) {
    return { ...loaded, tokens: NO_TOKENS, policies: [] };
  }
  if (policyFile === undefined) throw alone('token file', tokenFile, 'auth.policyFile');
  if (tokenFile === undefined) throw alone('policy file', policyFile, 'auth.tokenFile');
  const bytesMax = AUTH_LIMITS.accessFileBytes;
  const tokens = await readBounded('token file', tokenFile, bytesMax);
  const policies = await readBounded('policy file', policyFile, bytesMax);
  return {
    ...loaded,
    tokens: parseTokenFile(tokens, tokenFile),
    policies: parsePolicyFile(policies, policyFile, apiGroup),
  };
}

const alone = (what: string, file: string | undefined, other: string) =>
  unusableFile(what, String(file), `it says nothing without the other file; set ${other} too.`);
