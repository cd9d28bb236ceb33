/**
 * The package for `npm install --global`, of the manifest of the repository. Its libraries are in its code; its optional packages bring Node
 * (ADR 0002). As a program, it writes the files that `npm pack` in the repository takes.
 */
import { copyFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../build/bundles.ts';
import { librariesOf, licenseText } from './libraries.ts';
import { type Program, stageProgram } from './program-files.ts';
import { runTool } from './run-tool.ts';

/** Folder of the program, in the repository and in the package. */
const PROGRAM = 'program';
/** Files that npm takes beside it. */
const BESIDE = ['package.json', 'README.md', 'LICENSE'];

/** Writes the program to a folder, with the licenses of its libraries. */
export async function stagePackage(folder: string): Promise<Program> {
  const program = await stageProgram(join(folder, PROGRAM));
  writeFileSync(join(program.stage, 'LIBRARY-LICENSES.txt'), licenseText(librariesOf(program)));
  return program;
}

/** Packs the folder with a program. Its scripts would make the program again. */
export function writePackage(folder: string, to: string): void {
  for (const file of BESIDE) copyFileSync(join(ROOT, file), join(folder, file));
  runTool('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', to], folder);
}

if (import.meta.main) {
  rmSync(join(ROOT, PROGRAM), { recursive: true, force: true });
  await stagePackage(ROOT);
}
