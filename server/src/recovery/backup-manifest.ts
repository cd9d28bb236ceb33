/** The manifest of a backup. */
import { createHash } from 'node:crypto';
import { RecoveryRefusal } from './refusal.ts';

/** The last file of a backup: one without it is not whole. */
export const MANIFEST_FILE = 'manifest.json';
/** Checksums of all other files, in the form of `sha256sum`. */
export const CHECKSUMS_FILE = 'checksums.txt';

/** Grows when older versions can no longer restore new backups. */
const FORMAT = 1;

export interface BackupManifest {
  readonly format: number;
  /** Version of the program that made it. */
  readonly version: string;
  /** Version of the store's schema. */
  readonly schema: number;
  /** The moment whose state it has. */
  readonly createdAt: string;
  readonly runs: number;
  /** Runs that were not over. */
  readonly liveRuns: number;
  readonly files: number;
  readonly bytes: number;
  /** Whether it has the key that signs tokens, and the administrator's token. */
  readonly hasKeys: boolean;
  /** SHA-256 of the checksums. */
  readonly checksums: string;
}

export interface FileSum {
  readonly path: string;
  readonly sha256: string;
}

export function manifestText(manifest: Omit<BackupManifest, 'format'>): string {
  return `${JSON.stringify({ format: FORMAT, ...manifest }, null, 2)}\n`;
}

export const checksumsText = (sums: readonly FileSum[]): string =>
  sums.map(({ path, sha256 }) => `${sha256}  ${path}\n`).join('');

export const sha256Of = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Reads the manifest of a backup. Throws RecoveryRefusal for an unknown format. */
export function readManifest(text: string, backup: string): BackupManifest {
  const found = parsed(text);
  if (found === null) throw damaged(backup, `its ${MANIFEST_FILE} cannot be read`);
  if (found.format !== FORMAT) {
    throw new RecoveryRefusal(
      `${backup} was made by a newer version, ${found.version}.`,
      'restore it with that version.',
    );
  }
  return found;
}

const NUMBERS = ['format', 'schema', 'runs', 'liveRuns', 'files', 'bytes'];
const TEXTS = ['version', 'createdAt', 'checksums'];

function parsed(text: string): BackupManifest | null {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null) return null;
    const fields: Readonly<Record<string, unknown>> = { ...value };
    const isWhole =
      NUMBERS.every((name) => Number.isSafeInteger(fields[name])) &&
      TEXTS.every((name) => typeof fields[name] === 'string') &&
      typeof fields.hasKeys === 'boolean';
    // Each of its keys was looked at.
    return isWhole ? (value as BackupManifest) : null;
  } catch {
    return null;
  }
}

/** Reads the checksums of a backup. Throws RecoveryRefusal for malformed lines. */
export function readChecksums(text: string, backup: string): readonly FileSum[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [, sha256, path] = /^([0-9a-f]{64}) {2}(.+)$/.exec(line) ?? [];
      if (sha256 === undefined || path === undefined) {
        throw damaged(backup, `its ${CHECKSUMS_FILE} cannot be read`);
      }
      return { path, sha256 };
    });
}

export const damaged = (backup: string, why: string, cause?: unknown): RecoveryRefusal =>
  new RecoveryRefusal(
    `${backup} is damaged: ${why}.`,
    'restore another backup; nothing was changed.',
    { cause },
  );
