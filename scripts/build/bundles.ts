/** Bundles the program with its libraries, and with the checks of schemas as code (ADR 0014). */
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  type InputOptions,
  type OutputChunk,
  type OutputOptions,
  type Plugin,
  rolldown,
} from 'rolldown';
import { scriptIn } from '../../cli/bin/program.js';
import { type CheckModules, checkModules } from './schema-checks.ts';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));
export const DIST = join(ROOT, 'cli', 'dist');
/** The program, and the entries of its threads and processes, by the names that it looks for. */
const ENTRIES = {
  main: join(ROOT, 'cli/src/main.ts'),
  'writer-worker': join(ROOT, 'server/src/store/sqlite/writer-worker.ts'),
  'pages-worker': join(ROOT, 'server/src/store/sqlite/pages-worker.ts'),
  'lending-process': join(ROOT, 'agent/src/processes/lending-process.ts'),
  'document-thread': join(ROOT, 'server/src/document-thread.ts'),
  'reading-thread': join(ROOT, 'server/src/plugins/interpreters/thread/reading-thread.ts'),
};
/**
 * Parts that few servers use, by the names that their modules have where they are loaded. They stand beside the script, so that a start
 * without them reads none. The client of buckets is a fifth of the program.
 */
const BESIDE = [
  { name: './blobs/s3/open-bucket.ts', script: 'bucket.cjs' },
  { name: './store/postgres/postgres-store.ts', script: 'postgres.cjs' },
];
const sourceOf = (name: string): string => join(ROOT, 'server/src', name);
const PREPARED_CHECKS = join('documents', 'prepared-checks.ts');
const CHECK_PREFIX = 'tutti:check-';

/** Writes the program as modules, which load the parts that a command needs. */
export function writeModules(dir: string): Promise<readonly OutputChunk[]> {
  return bundled(ENTRIES, {
    dir,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
  });
}

/** Writes the same modules for an executable, which cannot load files. */
export async function writeScripts(dir: string): Promise<readonly OutputChunk[]> {
  const chunks = await bundled(ENTRIES, {
    dir,
    format: 'cjs',
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
  });
  for (const { fileName, code } of chunks) writeFunction(join(dir, fileName), code);
  for (const { name, script } of BESIDE) {
    const file = join(dir, script);
    writeFunction(file, (await writeOne(sourceOf(name), file)).code);
  }
  return chunks;
}

/** Writes the whole program as one script, as `cli/bin/program.js` loads it. */
export async function writeScript(dir: string): Promise<OutputChunk> {
  const file = scriptIn(dir);
  const script = await writeOne(ENTRIES.main, file, [partsBeside()]);
  writeFunction(file, script.code);
  for (const { name, script: beside } of BESIDE) await writeOne(sourceOf(name), join(dir, beside));
  return script;
}

/** Writes a module with all that it imports. */
export async function writeOne(
  input: string,
  file: string,
  more: readonly Plugin[] = [],
): Promise<OutputChunk> {
  const [script] = await bundled(input, { file, format: 'cjs', codeSplitting: false }, more);
  if (script === undefined) throw new Error('The bundler wrote no script.');
  return script;
}

async function bundled(
  input: NonNullable<InputOptions['input']>,
  options: OutputOptions,
  more: readonly Plugin[] = [],
): Promise<readonly OutputChunk[]> {
  const plugins = [preparedChecks(), ownPlaces(), ...more];
  const bundle = await rolldown({ input, cwd: ROOT, platform: 'node', plugins });
  try {
    const { output } = await bundle.write(options);
    return output.filter((file) => file.type === 'chunk');
  } finally {
    await bundle.close();
  }
}

function writeFunction(file: string, code: string): void {
  const parameters = 'exports, require, module, __filename, __dirname';
  writeFileSync(file, `(function (${parameters}) {${inAscii(code)}\n})`);
}

/** Escapes characters outside of ASCII. Throws where one follows a backslash, which would then belong to the escape. */
function inAscii(code: string): string {
  if (/\\[^\0-\x7f]/.test(code)) throw new Error('A character that is escaped is not in ASCII.');
  const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return code.replaceAll(/[^\0-\x7f]/g, escaped);
}

/** A name that is the same for the same code, so that caches of it stay valid. */
export function nameOf(chunks: readonly OutputChunk[]): string {
  const hash = createHash('sha256');
  for (const { fileName, code } of chunks) hash.update(fileName).update('\0').update(code);
  return hash.digest('hex').slice(0, 16);
}

/** The checks of schemas as code, in place of those that a library would compile. */
export function preparedChecks(schemas?: readonly object[]): Plugin {
  let made: CheckModules | null = null;
  const modules = () => {
    made ??= checkModules(CHECK_PREFIX, schemas);
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
 * Keeps the places of files beside a module, as a folder in `DIST` sees them. Threads and processes are entries, beside the module that
 * starts them. Packages that a module loads on demand are parts of the program.
 */
function ownPlaces(): Plugin {
  return {
    name: 'own-places',
    transform(code, id) {
      const startsEntry = code.includes('extname(import.meta.url)');
      if (!isSource(id) || startsEntry || !code.includes('import.meta.url')) return null;
      const place = JSON.stringify(relative(join(DIST, 'folder'), id).split(sep).join('/'));
      return code
        .replaceAll('createRequire(import.meta.url)(', 'require(')
        .replaceAll('import.meta.url', `new URL(${place}, import.meta.url).href`);
    },
  };
}

/** Loads parts from their own files. */
function partsBeside(): Plugin {
  const places = BESIDE.map(({ name, script }) => ({
    load: `import('${name}')`,
    place: `./${script}`,
  }));
  return {
    name: 'parts-beside',
    resolveId: (name) =>
      places.some(({ place }) => place === name) ? { id: name, external: true } : null,
    transform(code, id) {
      const found = places.filter(({ load }) => code.includes(load));
      if (!isSource(id) || found.length === 0) return null;
      return found.reduce(
        // Types of the part stay: the program has none.
        (text, { load, place }) =>
          text
            .split(`typeof ${load}`)
            .map((piece) => piece.replaceAll(load, `require('${place}')`))
            .join(`typeof ${load}`),
        code,
      );
    },
  };
}

export function isSource(file: string): boolean {
  return file.startsWith(ROOT) && !relative(ROOT, file).split(sep).includes('node_modules');
}
