/** The package for `npm install --global`. Its libraries are in its code; its optional packages bring Node (ADR 0002). */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../build/bundles.ts';
import type { Program } from './program-files.ts';
import { runTool } from './run-tool.ts';

/** Folder of the manual pages. */
const MANUAL = 'cli/man/man1';
/** The oldest version that `cli/bin/tutti.js` was tried with. It starts a newer one where needed. */
const NODE_RANGE = '>=20';

/** Writes the package to a folder. */
export function writePackage({ stage }: Program, to: string): void {
  const read = (path: string) => JSON.parse(readFileSync(join(ROOT, path), 'utf8'));
  const { name, version, description, license } = read('cli/package.json');
  const manifest = {
    ...{ name, version, description, license, type: 'module' },
    engines: { node: NODE_RANGE },
    bin: { tutti: 'cli/bin/tutti.js' },
    man: readdirSync(join(stage, MANUAL)).map((page) => `./${MANUAL}/${page}`),
    optionalDependencies: read('package.json').optionalDependencies,
  };
  writeFileSync(join(stage, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  runTool('npm', ['pack', '--silent', '--pack-destination', to], stage);
}
