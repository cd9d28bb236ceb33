/** Finds and reads the files to import, and recognizes the kind of each by its content. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { readYaml } from '@tutti/manifests/documents';
import { type Entries, entriesOf } from '@tutti/manifests/values';

/** Kinds that a key of the document tells. */
const BY_KEY = {
  qualitygates: 'quality gates',
  insights: 'insights',
  hooks: 'hooks',
  retentionPolicy: 'retention policy',
  pools: 'SSH pools',
  instances: 'trackers',
  contexts: 'service',
} as const;
type Text = 'variables' | 'descriptor' | 'policies' | 'key' | 'unknown';
export type SourceKind = (typeof BY_KEY)[keyof typeof BY_KEY] | Text | 'client' | 'launcher';

export interface SourceDocument {
  readonly file: string;
  readonly kind: SourceKind;
  readonly text: string;
  /** The map of the document; its text if it is none. */
  readonly value: unknown;
}

export interface SourceReading {
  readonly documents: readonly SourceDocument[];
  /** Problems of unreadable files, as sentences. */
  readonly problems: readonly string[];
}

/** Limits for the bytes of a file, directories below a directory, and files in all. Larger files and trees are no configuration. */
const FILE_BYTES_MAX = 1024 * 1024;
const DEPTH_MAX = 4;
const FILES_MAX = 1_000;

/** Reads the files of an existing installation. Throws errors of the file system for unreadable paths. */
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
    const { text, problem } = readText(file);
    const document = problem ?? documentOf(yaml, file, text);
    if (typeof document === 'string') problems.push(`${file} ${document}.`);
    else documents.push(document);
  }
  return { documents, problems };
}

function filesOf(path: string, depth: number): readonly string[] {
  if (!statSync(path).isDirectory()) return [path];
  return depth > DEPTH_MAX ? [] : visibleIn(path).flatMap((each) => filesOf(each, depth + 1));
}

/** Paths of a directory in order, without hidden ones. */
export const visibleIn = (directory: string): readonly string[] =>
  readdirSync(directory)
    .filter((name) => !name.startsWith('.'))
    .sort()
    .map((name) => join(directory, name));

/** The text of a file, which is empty if there is a problem. Throws errors of the file system. */
export function readText(path: string): { readonly text: string; readonly problem: string | null } {
  const problem = (what: string) => ({ text: '', problem: what });
  if (!statSync(path).isFile()) return problem('is no file');
  const content = readFileSync(path);
  if (content.length > FILE_BYTES_MAX) return problem(`has more than ${FILE_BYTES_MAX} bytes`);
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(content), problem: null };
  } catch {
    return problem('is no UTF-8 text');
  }
}

/** Files that may have several documents without a problem. */
const DESCRIPTORS: readonly string[] = ['plugin.yaml', 'service.yaml'];
const VARIABLES = /^(?:\s*(?:#.*|(?:export\s+)?[A-Za-z_]\w*=.*)?(?:\r?\n|$))+$/;
const HAS_VARIABLE = /^\s*(?:export\s+)?[A-Za-z_]\w*=/m;
const POLICIES = /^\s*(?:#.*\n|\s*\n)*\{.*"kind"\s*:\s*"Policy"/;

/** The document, or its problem. */
function documentOf(yaml: typeof import('yaml'), file: string, text: string) {
  const lines = withKeysOnOneLine(text);
  const kind = kindOfText(file, text, lines);
  const plain = { file, text: lines, value: lines };
  if (kind !== 'unknown') return { ...plain, kind };
  const reading = readYaml(yaml, text);
  if (reading.ok) {
    const value = entriesOf(reading.document.value);
    return { file, kind: kindOf(value), text, value };
  }
  if (!/\.(?:ya?ml|json)$/i.test(file) && !/^kind\s*:/m.test(text)) return { ...plain, kind };
  const span = reading.problems[0]?.span ?? null;
  // Messages of the reader may quote the text, and so its secrets.
  const place = span === null ? '' : ` (line ${span.line}, column ${span.column})`;
  return `is no valid YAML${place}`;
}

function kindOfText(file: string, text: string, lines: string): Text {
  if (DESCRIPTORS.includes(basename(file))) return 'descriptor';
  if (/^-----BEGIN /m.test(lines) || /^(?:ssh|ecdsa)-\S+ \S+/.test(text)) return 'key';
  if (POLICIES.test(text)) return 'policies';
  return HAS_VARIABLE.test(lines) && VARIABLES.test(lines) ? 'variables' : 'unknown';
}

/** A variable may have a key with its line ends, as `env` prints it. */
const withKeysOnOneLine = (text: string): string =>
  text.replace(
    /(?<==["']?)-----BEGIN [\s\S]*?-----END [A-Z ]+-----\n?/g,
    (key) => `${key.trimEnd().replaceAll(/\r?\n/g, '\\n')}${key.endsWith('\n') ? '\n' : ''}`,
  );

function kindOf(value: Entries): SourceKind {
  if (value.kind === 'CtlConfig' || 'orchestrators' in value) return 'client';
  if (/(?:Service|Bus|Provider)Config$/.test(String(value.kind))) return 'service';
  const [, known] = Object.entries(BY_KEY).find(([key]) => Object.hasOwn(value, key)) ?? [];
  if (known !== undefined) return known;
  const launched = ['services', 'plugins', 'aggregated', 'disabled'];
  const isLauncher = 'eventbus' in value && launched.some((key) => Object.hasOwn(value, key));
  return isLauncher ? 'launcher' : 'unknown';
}
