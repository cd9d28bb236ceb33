/** The files of an installation, as the package has them and an executable has most of them. Their places are those of the repository. */
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { OutputChunk } from 'rolldown';
import { billOfMaterials } from '../../server/src/services/observer/version-routes.ts';
import { nameOf, ROOT, writeModules, writeScript } from '../build/bundles.ts';

/** Files that the program reads, and those that people and editors read. */
const FILES = [
  'CHANGELOG.md',
  'cli/bin/hidden-token.js',
  'cli/bin/installed-node.js',
  'cli/bin/launcher-channel.js',
  'cli/bin/program.js',
  'cli/bin/start.js',
  'cli/bin/tutti.js',
  'cli/man',
  ...['docs/explain', 'docs/guides', 'docs/operate', 'docs/reference', 'docs/start'],
  'openapi.json',
  'packages/manifests/workflow.schema.json',
  'server/dist/docs',
  'server/dist/ui',
  'server/src/plugins/insightcollector/page/report-page.css',
  'server/src/plugins/insightcollector/page/report-page.js',
  'server/src/plugins/providers/built-in-functions.json',
  'server/src/plugins/providers/manifests',
];

export interface Program {
  /** Folder with the files. */
  readonly stage: string;
  /** Folder of the code below it, with slashes. */
  readonly folder: string;
  readonly version: string;
  readonly chunks: readonly OutputChunk[];
}

/** Writes all files of an installation to the empty folder `stage`. */
export async function stageProgram(stage: string): Promise<Program> {
  if (!existsSync(join(ROOT, 'server/dist/docs/index.html')))
    throw new Error('The documentation is not built.\nWhat to do: run "npm run docs" first.');
  if (!existsSync(join(ROOT, 'server/dist/ui/index.html')))
    throw new Error('The page is not built.\nWhat to do: run "node scripts/build/page.ts" first.');
  for (const file of FILES) {
    mkdirSync(dirname(join(stage, file)), { recursive: true });
    cpSync(join(ROOT, file), join(stage, file), { recursive: true });
  }
  const bill = billOfMaterials(new URL('../../server/src/main.ts', import.meta.url).href);
  writeFileSync(join(stage, 'server/dist/bill-of-materials.json'), JSON.stringify(bill));
  const code = join(stage, 'code');
  const chunks = [...(await writeModules(code)), await writeScript(code)];
  const name = nameOf(chunks);
  const folder = `cli/dist/${name}`;
  mkdirSync(join(stage, 'cli/dist'));
  renameSync(code, join(stage, folder));
  // Nothing of an installation changes: it has no sources to compare.
  writeFileSync(join(stage, 'cli/dist/built.json'), JSON.stringify({ folder: name, sources: [] }));
  const { version } = JSON.parse(readFileSync(join(ROOT, 'cli/package.json'), 'utf8'));
  return { stage, folder, version, chunks };
}
