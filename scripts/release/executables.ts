/**
 * Single executables: Node with the program as assets. The blob with the assets is made by the version of Node that it goes into, on this
 * machine. Compiled code would tie it to this platform.
 */
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { join, relative, sep } from 'node:path';
import { NODE_PACKAGES, nodeIn } from '../../cli/bin/installed-node.js';
import { ROOT, writeOne, writeScripts } from '../build/bundles.ts';
import type { Program } from './program-files.ts';
import { runTool } from './run-tool.ts';

/** Mark in Node that says whether it has a blob: https://nodejs.org/api/single-executable-applications.html */
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';
const POSTJECT = createRequire(import.meta.url).resolve('postject/dist/cli.js');
const HERE = `${process.platform}-${process.arch}`;

/** Platforms whose Node is a package. */
export const PLATFORMS: readonly string[] = Object.keys(NODE_PACKAGES);

export interface Place {
  /** Folder for what is only needed meanwhile. */
  readonly work: string;
  readonly to: string;
}

/** Writes the executables for some platforms to a folder. */
export async function writeExecutables(
  program: Program,
  platforms: readonly string[],
  { work, to }: Place,
): Promise<void> {
  const assets = await assetsOf(program, join(work, 'assets'));
  for (const platform of platforms) {
    const name = NODE_PACKAGES[platform];
    if (name === undefined) throw new Error(`There is no Node for ${platform} among the packages.`);
    const { version } = lockedPackage(name);
    const suffix = platform.startsWith('win') ? '.exe' : '';
    const file = join(to, `tutti-${program.version}-${platform}${suffix}`);
    copyFileSync(nodeOf(platform, version, work), file);
    chmodSync(file, 0o755);
    inject(file, blobOf(assets, version, work));
  }
}

/** Paths of the assets by their names: the files of the program, and its code in the form for executables. */
async function assetsOf({ stage, folder }: Program, work: string) {
  const code = join(work, folder);
  mkdirSync(code, { recursive: true });
  await writeScripts(code);
  copyFileSync(join(stage, folder, 'run.js'), join(code, 'run.js'));
  writeFileSync(join(work, 'folder'), folder);
  const start = await writeOne(join(ROOT, 'cli/bin/executable.js'), join(work, 'executable.js'));
  if (/[^\0-\x7f]/.test(start.code)) throw new Error('The start of executables is not in ASCII.');
  const folders = ['docs', 'server'].map((name) => join(stage, name));
  const files = [filesBelow(work, work), ...folders.map((each) => filesBelow(each, stage))].flat();
  const names = files.map(([name]) => name);
  writeFileSync(join(work, 'names.json'), JSON.stringify(names));
  return Object.fromEntries([...files, ['names.json', join(work, 'names.json')]]);
}

function filesBelow(folder: string, base: string): readonly (readonly [string, string])[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((file) => [relative(base, file).split(sep).join('/'), file] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1));
}

function blobOf(assets: Readonly<Record<string, string>>, version: string, work: string): string {
  const output = join(work, `${version}.blob`);
  if (existsSync(output)) return output;
  const config = join(work, 'executable.json');
  // The blob has the path of its start, which must be the same in each run.
  const main = relative(work, assets['executable.js'] ?? '');
  const quiet = { disableExperimentalSEAWarning: true, useCodeCache: false, useSnapshot: false };
  writeFileSync(config, JSON.stringify({ main, output, assets, ...quiet }));
  runTool(nodeOf(HERE, version, work), ['--experimental-sea-config', config], work);
  return output;
}

function inject(file: string, blob: string): void {
  const segment = ['--macho-segment-name', 'NODE_SEA'];
  const args = [file, 'NODE_SEA_BLOB', blob, '--sentinel-fuse', FUSE, ...segment];
  runTool(process.execPath, [POSTJECT, ...args]);
}

function lockedPackage(name: string): { readonly version: string; readonly integrity: string } {
  const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));
  return lock.packages[`node_modules/${name}`];
}

/** Path of Node for a platform, installed or fetched with npm. */
function nodeOf(platform: string, version: string, work: string): string {
  const name = NODE_PACKAGES[platform] ?? '';
  const locked = lockedPackage(name);
  const installed = join(ROOT, 'node_modules', name);
  const isPinned = locked.version === version;
  if (isPinned && existsSync(installed)) return join(installed, nodeIn(platform));
  const folder = join(work, `${name}-${version}`);
  if (!existsSync(folder)) {
    mkdirSync(folder);
    const answer = runTool('npm', ['pack', '--json', `${name}@${version}`], folder);
    const [{ filename, integrity }] = JSON.parse(answer);
    if (isPinned && integrity !== locked.integrity)
      throw new Error(`${name} ${version} is not the package of package-lock.json.`);
    runTool('tar', ['-xzf', filename], folder);
  }
  return join(folder, 'package', nodeIn(platform));
}
