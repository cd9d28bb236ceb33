/** Finds and reads the files to import, and recognizes the kind of each by its content. */
import { readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { readYaml } from '@tutti/manifests/documents';
import { type Entries, isEntries } from '@tutti/manifests/values';
import { readText } from './found-paths.ts';

export type SourceKind =
  | 'client'
  | 'service'
  | 'variables'
  | 'quality gates'
  | 'insights'
  | 'hooks'
  | 'retention policy'
  | 'SSH pools'
  | 'launcher'
  | 'trackers'
  | 'descriptor'
  | 'policies'
  | 'key'
  | 'unknown';

export interface SourceDocument {
  readonly file: string;
  readonly kind: SourceKind;
  readonly text: string;
  /** Empty if the document is no map. */
  readonly value: Entries;
}

export interface SourceReading {
  readonly documents: readonly SourceDocument[];
  /** Problems of unreadable files, as sentences. */
  readonly problems: readonly string[];
}

/** Limits for directories below a directory, and for files in all: larger trees are no configuration. */
const DEPTH_MAX = 4;
const FILES_MAX = 1_000;

/** Throws errors of the file system for paths that cannot be read. */
export async function readSources(paths: readonly string[]): Promise<SourceReading> {
  const files = [...new Set(paths.flatMap((path) => filesOf(path, 0)))];
  if (files.length > FILES_MAX) {
    const problem = `There are ${files.length} files, and ${FILES_MAX} are the most.`;
    return { documents: [], problems: [problem] };
  }
  const yaml = await import('yaml');
  const documents: SourceDocument[] = [];
  const problems: string[] = [];
  for (const file of files) {
    const read = readText(file);
    const document = 'text' in read ? documentOf(yaml, file, read.text) : read;
    if ('problem' in document) problems.push(`${file} ${document.problem}.`);
    else documents.push(document);
  }
  return { documents, problems };
}

function filesOf(path: string, depth: number): readonly string[] {
  if (!statSync(path).isDirectory()) return [path];
  if (depth > DEPTH_MAX) return [];
  const names = readdirSync(path).filter((name) => !name.startsWith('.'));
  return names.sort().flatMap((name) => filesOf(join(path, name), depth + 1));
}

/** Files that may have several documents without a problem. */
const DESCRIPTORS: readonly string[] = ['plugin.yaml', 'service.yaml'];
const VARIABLES = /^(?:\s*(?:#.*|(?:export\s+)?[A-Za-z_]\w*=.*)?(?:\r?\n|$))+$/;
const HAS_VARIABLE = /^\s*(?:export\s+)?[A-Za-z_]\w*=/m;
const POLICIES = /^\s*(?:#.*\n|\s*\n)*\{.*"kind"\s*:\s*"Policy"/;

function documentOf(
  yaml: typeof import('yaml'),
  file: string,
  text: string,
): SourceDocument | { readonly problem: string } {
  const plain = (kind: SourceKind): SourceDocument => ({ file, kind, text, value: {} });
  if (DESCRIPTORS.includes(basename(file))) return plain('descriptor');
  const lines = withKeysOnOneLine(text);
  if (/^-----BEGIN /m.test(lines) || /^(?:ssh|ecdsa)-\S+ \S+/.test(text)) return plain('key');
  if (POLICIES.test(text)) return plain('policies');
  if (HAS_VARIABLE.test(lines) && VARIABLES.test(lines)) {
    return { file, kind: 'variables', text: lines, value: {} };
  }
  const isYaml = /\.(?:ya?ml|json)$/i.test(file);
  const reading = readYaml(yaml, text);
  if (reading.ok) {
    const { value } = reading.document;
    return isEntries(value) ? { file, kind: kindOf(value), text, value } : plain('unknown');
  }
  if (!isYaml && !/^kind\s*:/m.test(text)) return plain('unknown');
  const span = reading.problems[0]?.span ?? null;
  // Messages of the reader may quote the text, and so its secrets.
  const place = span === null ? '' : ` (line ${span.line}, column ${span.column})`;
  return { problem: `is no valid YAML${place}` };
}

/** A variable may have a key with its line ends, as `env` prints it. */
const withKeysOnOneLine = (text: string): string =>
  text.replace(
    /(?<==["']?)-----BEGIN [\s\S]*?-----END [A-Z ]+-----\n?/g,
    (key) => `${key.trimEnd().replaceAll(/\r?\n/g, '\\n')}${key.endsWith('\n') ? '\n' : ''}`,
  );

const BY_KEY: readonly (readonly [key: string, kind: SourceKind])[] = [
  ['qualitygates', 'quality gates'],
  ['insights', 'insights'],
  ['hooks', 'hooks'],
  ['retentionPolicy', 'retention policy'],
  ['pools', 'SSH pools'],
  ['instances', 'trackers'],
];
const LAUNCHER_KEYS: readonly string[] = ['services', 'plugins', 'aggregated', 'disabled'];

function kindOf(value: Entries): SourceKind {
  if (value.kind === 'CtlConfig' || 'orchestrators' in value) return 'client';
  if (/(?:Service|Bus|Provider)Config$/.test(String(value.kind))) return 'service';
  const [, known] = BY_KEY.find(([key]) => Object.hasOwn(value, key)) ?? [];
  if (known !== undefined) return known;
  if ('contexts' in value) return 'service';
  return 'eventbus' in value && LAUNCHER_KEYS.some((key) => Object.hasOwn(value, key))
    ? 'launcher'
    : 'unknown';
}
