/** Keys and tokens of the data directory, and who may read what. */
import { createPrivateKey } from 'node:crypto';
import { chmodSync, existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Check, Finding } from './check.ts';

const DIRECTORIES = ['', 'store', 'blobs', 'keys'];
/** All that is in them is for the owner alone. */
const SECRET_DIRECTORIES = ['store', 'keys'];
const SECRETS = ['admin.token', 'server.json'];
const KEY = 'keys/signing.pem';
/** Rights of the group and of everybody else. */
const OTHERS = 0o077;

export const keysCheck: Check = {
  name: 'keys',
  about: 'the key that signs tokens, and who may read the data directory',
  run({ dataDir }) {
    const missing = [KEY, 'admin.token'].filter((path) => !existsSync(join(dataDir, path)));
    return {
      facts: {},
      notes: missing.map((path) => `${path} is not there: the server makes one when it starts.`),
      findings: [...keyFindings(dataDir), ...modeFindings(dataDir)],
    };
  },
};

function keyFindings(dataDir: string): readonly Finding[] {
  const file = join(dataDir, KEY);
  if (!existsSync(file) || isSigningKey(readFileSync(file, 'utf8'))) return [];
  return [
    {
      what: `${KEY} is not a P-256 private key; the server does not start with it.`,
      repair: null,
      advice:
        'take it out of a backup. If it is removed, the server makes another one, and refuses all tokens that it has issued.',
    },
  ];
}

function isSigningKey(pem: string): boolean {
  try {
    return createPrivateKey(pem).asymmetricKeyDetails?.namedCurve === 'prime256v1';
  } catch {
    return false;
  }
}

function modeFindings(dataDir: string): readonly Finding[] {
  // Windows has rights of another kind.
  if (process.platform === 'win32') return [];
  const secrets = [...SECRET_DIRECTORIES.flatMap((path) => filesIn(dataDir, path)), ...SECRETS];
  return [
    ...DIRECTORIES.map((path) => ({ path, mode: 0o700 })),
    ...secrets.map((path) => ({ path, mode: 0o600 })),
  ].flatMap(({ path, mode }) => {
    const file = join(dataDir, path);
    const found = statSync(file, { throwIfNoEntry: false });
    if (found === undefined || (found.mode & OTHERS) === 0) return [];
    const shown = (found.mode & 0o777).toString(8).padStart(4, '0');
    return [
      {
        what: `${path === '' ? 'The data directory' : path} has the mode ${shown}: others than its owner may use it.`,
        repair: `gives it the mode ${mode.toString(8).padStart(4, '0')}`,
        advice: null,
        mend: () => chmodSync(file, mode),
      },
    ];
  });
}

function filesIn(dataDir: string, folder: string): readonly string[] {
  const path = join(dataDir, folder);
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return [];
  const entries = readdirSync(path, { withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ name }) => `${folder}/${name}`);
}
