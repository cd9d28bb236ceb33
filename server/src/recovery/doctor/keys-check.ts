/** Keys and tokens of the data directory, and who may read what. */
import { createPrivateKey } from 'node:crypto';
import { chmodSync, existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isOrchestratorError } from '@tutti/manifests';
import { parseRevokedTokens } from '../../auth/revoked-tokens.ts';
import type { Check, Finding } from './check.ts';

const DIRECTORIES = ['', 'store', 'blobs', 'keys'];
/** Directories whose files are for the owner alone. */
const SECRET_DIRECTORIES = ['store', 'keys'];
const REVOKED = 'revoked-tokens.json';
const SECRETS = ['admin.token', 'server.json', REVOKED];
const KEY = 'keys/signing.pem';
/** Rights of the group and of everybody else. */
const OTHERS = 0o077;

export const keysCheck: Check = {
  name: 'keys',
  about: 'the key that signs tokens, those that were revoked, and who may read the data directory',
  run({ dataDir }) {
    const missing = [KEY, 'admin.token'].filter((path) => !existsSync(join(dataDir, path)));
    return {
      facts: {},
      notes: missing.map((path) => `${path} is not there: the server makes one when it starts.`),
      findings: [
        ...keyFindings(dataDir),
        ...revokedFindings(dataDir),
        ...ownerFindings(dataDir),
        ...modeFindings(dataDir),
      ],
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

function revokedFindings(dataDir: string): readonly Finding[] {
  const file = join(dataDir, REVOKED);
  if (!existsSync(file)) return [];
  try {
    parseRevokedTokens(readFileSync(file, 'utf8'), file);
    return [];
  } catch (error) {
    if (!isOrchestratorError(error)) throw error;
    const advice =
      'take it out of a backup: the server does not start with it. If it is removed, all tokens in it count again.';
    return [{ what: error.message, repair: null, advice }];
  }
}

/** The owner of a file may read and change it, whatever its mode is. */
function ownerFindings(dataDir: string): readonly Finding[] {
  // Windows has no numbers of users.
  if (process.platform === 'win32') return [];
  const { uid: owner } = statSync(dataDir);
  return [...DIRECTORIES, ...secretsOf(dataDir)].flatMap((path) => {
    const uid = statSync(join(dataDir, path), { throwIfNoEntry: false })?.uid ?? owner;
    if (uid === owner) return [];
    return [
      {
        what: `${path} belongs to the user ${uid}, the data directory to the user ${owner}.`,
        repair: null,
        advice: `see who that is, and give it to the account of the server: chown ${owner} ${path}`,
      },
    ];
  });
}

const secretsOf = (dataDir: string): readonly string[] => [
  ...SECRET_DIRECTORIES.flatMap((path) => filesIn(dataDir, path)),
  ...SECRETS,
];

function modeFindings(dataDir: string): readonly Finding[] {
  // Windows has rights of another kind.
  if (process.platform === 'win32') return [];
  return [
    ...DIRECTORIES.map((path) => ({ path, mode: 0o700 })),
    ...secretsOf(dataDir).map((path) => ({ path, mode: 0o600 })),
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
