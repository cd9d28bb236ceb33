/**
 * Builds the program into few files, with the checks of schemas as code (ADR 0014): `node scripts/build/build.ts`. After a change
 * of a source the sources run instead.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  type InputOptions,
  type OutputChunk,
  type OutputOptions,
  type Plugin,
  rolldown,
} from 'rolldown';
import { codeIn, readRecord, recordIn, scriptIn, stampOf } from '../../cli/bin/program.js';
import { type CheckModules, checkModules } from './schema-checks.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const DIST = join(ROOT, 'cli', 'dist');
/** The program, and the entries of its threads and processes, by the names that it looks for. */
const ENTRIES = {
  main: join(ROOT, 'cli/src/main.ts'),
  'writer-worker': join(ROOT, 'server/src/store/sqlite/writer-worker.ts'),
  'pages-worker': join(ROOT, 'server/src/store/sqlite/pages-worker.ts'),
  'lending-process': join(ROOT, 'agent/src/processes/lending-process.ts'),
  'document-thread': join(ROOT, 'server/src/document-thread.ts'),
  'reading-thread': join(ROOT, 'server/src/plugins/interpreters/thread/reading-thread.ts'),
};
const PREPARED_CHECKS = join('documents', 'prepared-checks.ts');
const CHECK_PREFIX = 'tutti:check-';
/** Time for which older builds are kept: running servers may still load parts of them. */
const KEPT_MS = 60 * 60_000;
const KEEP_MS_MAX = 60_000;

await build();

async function build(): Promise<void> {
  const startedMs = Date.now();
  const before = readRecord(DIST)?.folder;
  mkdirSync(DIST, { recursive: true });
  const passing = join(DIST, `passing-${process.pid}`);
  const chunks = await writeChunks(passing);
  const script = await writeScript(passing);
  const folder = nameOf([...chunks, script]);
  const place = join(DIST, folder);
  if (existsSync(place)) rmSync(passing, { recursive: true });
  else renameSync(passing, place);
  if (!existsSync(codeIn(place))) keepCode(place);
  writeRecord(folder, sourcesOf(chunks), startedMs);
  removeOthers(new Set([folder, before]));
}

function writeChunks(dir: string): Promise<readonly OutputChunk[]> {
  return bundled(ENTRIES, dir, {
    dir,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
  });
}

async function bundled(
  input: NonNullable<InputOptions['input']>,
  dir: string,
  options: OutputOptions,
): Promise<readonly OutputChunk[]> {
  const plugins = [preparedChecks(), ownPlaces(dir)];
  const bundle = await rolldown({ input, platform: 'node', plugins });
  try {
    const { output } = await bundle.write(options);
    return output.filter((file) => file.type === 'chunk');
  } finally {
    await bundle.close();
  }
}

/** Writes the whole program as one script, as `cli/bin/program.js` loads it. */
async function writeScript(dir: string): Promise<OutputChunk> {
  const file = scriptIn(dir);
  const [script] = await bundled(ENTRIES.main, dir, {
    file,
    format: 'cjs',
    codeSplitting: false,
  });
  if (script === undefined) throw new Error('The bundler wrote no script.');
  const parameters = 'exports, require, module, __filename, __dirname';
  writeFileSync(file, `(function (${parameters}) {${inAscii(script.code)}\n})`);
  return script;
}

/** Escapes characters outside of ASCII. Throws where one follows a backslash, which would then belong to the escape. */
function inAscii(code: string): string {
  if (/\\[^\0-\x7f]/.test(code)) throw new Error('A character that is escaped is not in ASCII.');
  const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return code.replaceAll(/[^\0-\x7f]/g, escaped);
}

/** Keeps the compiled code. Where that fails, runs start later: from files, whose functions are compiled in each run. */
function keepCode(place: string): void {
  const keeper = fileURLToPath(new URL('./keep-code.ts', import.meta.url));
  const { status } = spawnSync(process.execPath, [keeper, place], {
    stdio: ['ignore', 'ignore', 'inherit'],
    timeout: KEEP_MS_MAX,
  });
  if (status !== 0) console.error('The code of runs could not be kept: they start later.');
}

/** A name that is the same for the same code, so that caches of it stay valid. */
function nameOf(chunks: readonly OutputChunk[]): string {
  const hash = createHash('sha256');
  for (const { fileName, code } of chunks) hash.update(fileName).update('\0').update(code);
  return hash.digest('hex').slice(0, 16);
}

function preparedChecks(): Plugin {
  let made: CheckModules | null = null;
  const modules = () => {
    made ??= checkModules(CHECK_PREFIX);
    return made;
  };
  return {
    name: 'prepared-checks',
    resolveId: (name) => (name.startsWith(CHECK_PREFIX) ? name : null),
    load: (id) =>
      id.endsWith(PREPARED_CHECKS) ? modules().table : (modules().checks.get(id) ?? null),
  };
}

/**
 * Keeps the places of files beside a module. Threads and processes are entries, beside the module that starts them. Packages that a module
 * loads on demand are parts of the program.
 */
function ownPlaces(dir: string): Plugin {
  return {
    name: 'own-places',
    transform(code, id) {
      const startsEntry = code.includes('extname(import.meta.url)');
      if (!isSource(id) || startsEntry || !code.includes('import.meta.url')) return null;
      const place = JSON.stringify(relative(dir, id).split(sep).join('/'));
      return code
        .replaceAll('createRequire(import.meta.url)(', 'require(')
        .replaceAll('import.meta.url', `new URL(${place}, import.meta.url).href`);
    },
  };
}

function isSource(file: string): boolean {
  return file.startsWith(ROOT) && !relative(ROOT, file).split(sep).includes('node_modules');
}

function sourcesOf(chunks: readonly OutputChunk[]): readonly string[] {
  const sources = chunks.flatMap(({ moduleIds }) => moduleIds).filter(isSource);
  return [...new Set([...sources, join(ROOT, 'package-lock.json')])];
}

/** Writes the record at once, so that no command reads half of it. Throws where a source changed since the start: the build may be older. */
function writeRecord(folder: string, sources: readonly string[], startedMs: number): void {
  const stamps = sources.map((file) => stampOf(DIST, relative(DIST, file)));
  const changed = stamps.find(([, mtimeMs]) => mtimeMs >= startedMs);
  if (changed !== undefined) throw new Error(`${changed[0]} was changed while it was built.`);
  const passing = join(DIST, `passing-${process.pid}.json`);
  writeFileSync(passing, JSON.stringify({ folder, sources: stamps }));
  renameSync(passing, recordIn(DIST));
}

function removeOthers(kept: ReadonlySet<string | undefined>): void {
  const names = readdirSync(DIST).filter((name) => join(DIST, name) !== recordIn(DIST));
  for (const name of names.filter((other) => !kept.has(other))) {
    const path = join(DIST, name);
    const { mtimeMs } = statSync(path);
    if (mtimeMs < Date.now() - KEPT_MS) rmSync(path, { recursive: true, force: true });
  }
}
