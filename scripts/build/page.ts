/**
 * Builds the page into the package of the server: `node scripts/build/page.ts`. All addresses in it are relative, so that a path prefix
 * changes nothing.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { build, type Plugin } from 'vite';
import { preparedChecks, ROOT } from './bundles.ts';
import { writeLibraries } from './page-libraries.ts';
import { WORKFLOW } from './schema-checks.ts';

/** Smaller files gain nothing. */
const COMPRESSED_BYTES_MIN = 512;
const { BROTLI_PARAM_QUALITY, BROTLI_MAX_QUALITY } = constants;

/** Writes each asset as Brotli and gzip, too: the server compresses nothing. Notes the libraries, whose licenses a release has. */
const compressed = (): Plugin => ({
  name: 'compressed',
  writeBundle({ dir = '' }, files) {
    writeLibraries(
      Object.values(files).flatMap((file) => ('moduleIds' in file ? file.moduleIds : [])),
    );
    const folder = join(dir, 'assets');
    for (const name of readdirSync(folder)) {
      const file = join(folder, name);
      const content = readFileSync(file);
      if (content.length < COMPRESSED_BYTES_MIN) continue;
      const params = { [BROTLI_PARAM_QUALITY]: BROTLI_MAX_QUALITY };
      writeFileSync(`${file}.br`, brotliCompressSync(content, { params }));
      writeFileSync(`${file}.gz`, gzipSync(content, { level: 9 }));
    }
  },
});

/** V8 then compiles a file while it comes, beside the main thread, and not each function at its first call. */
const compiledEarly = (): Plugin => ({
  name: 'compiled-early',
  generateBundle: {
    order: 'post',
    handler(_options, files) {
      for (const file of Object.values(files)) {
        if (file.type === 'chunk') file.code = `//# allFunctionsCalledOnLoad\n${file.code}`;
      }
    },
  },
});

interface ModuleGraph {
  getModuleInfo(id: string): { readonly importedIds: readonly string[] } | null;
}

/** Names one file for all that the page needs at its start. Otherwise parts that further pages share with it are files of their own. */
function atStart(entry: string) {
  const modules = new Set<string>();
  const add = (id: string, graph: ModuleGraph) => {
    if (modules.has(id)) return;
    modules.add(id);
    for (const imported of graph.getModuleInfo(id)?.importedIds ?? []) add(imported, graph);
  };
  return (id: string, graph: ModuleGraph): string | null => {
    if (modules.size === 0) add(entry, graph);
    return modules.has(id) ? 'page' : null;
  };
}

/** Writes the page. Rejects where a source is wrong. */
export async function buildPage(): Promise<void> {
  // Tests that build the page have another value, with which React is half as large again.
  process.env.NODE_ENV = 'production';
  await build({
    root: join(ROOT, 'web'),
    configFile: false,
    logLevel: 'warn',
    base: './',
    plugins: [react(), compiledEarly(), compressed()],
    build: {
      outDir: join(ROOT, 'server/dist/ui'),
      emptyOutDir: true,
      // Every browser with what the page needs, such as Trusted Types.
      target: 'es2024',
      // The policy of the page forbids addresses that are files themselves, but for pictures.
      assetsInlineLimit: 0,
      // All supported browsers preload modules.
      modulePreload: { polyfill: false },
      chunkSizeWarningLimit: 600,
      rolldownOptions: {
        output: {
          codeSplitting: {
            groups: [{ debugName: 'page', name: atStart(join(ROOT, 'web/src/main.tsx')) }],
          },
        },
      },
    },
    // The policy of the page forbids code that is made of texts, as a library would make checks of schemas.
    worker: { format: 'es', plugins: () => [preparedChecks([WORKFLOW])] },
  });
}

if (import.meta.main) await buildPage();
