/**
 * Makes a release: `node scripts/release/release.ts [--to FOLDER] [PLATFORM ...]`. Without platforms, it makes executables for all. The
 * same commit makes the same bytes.
 */
import { createHash } from 'node:crypto';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { ROOT } from '../build/bundles.ts';
import { writeDeployFiles } from './deploy-files.ts';
import { PLATFORMS, writeExecutables } from './executables.ts';
import { billOfMaterials, librariesOf, licenseText } from './libraries.ts';
import { stagePackage, writePackage } from './package.ts';
import { releaseNotes } from './release-notes.ts';
import { runTool } from './run-tool.ts';

const SUMS = 'SHA256SUMS';
const MEBIBYTE = 1024 * 1024;

const { values, positionals } = parseArgs({
  options: { to: { type: 'string', default: join(ROOT, 'dist') } },
  allowPositionals: true,
});
const platforms = positionals.length > 0 ? positionals : PLATFORMS;
const unknown = platforms.filter((platform) => !PLATFORMS.includes(platform));
if (unknown.length > 0) {
  console.error(`There is no Node for ${unknown.join(', ')}. Known: ${PLATFORMS.join(', ')}.`);
  process.exit(2);
}
await release(resolve(values.to), platforms);

async function release(to: string, wanted: readonly string[]): Promise<void> {
  const work = mkdtempSync(join(tmpdir(), 'tutti-release-'));
  try {
    rmSync(to, { recursive: true, force: true });
    mkdirSync(to, { recursive: true });
    const folder = join(work, 'package');
    const program = await stagePackage(folder);
    const libraries = librariesOf(program);
    writeFileSync(join(to, 'LIBRARY-LICENSES.txt'), licenseText(libraries));
    writePackage(folder, to);
    await writeExecutables(program, wanted, { work, to });
    const madeAt = commitTime();
    await writeDeployFiles(join(to, `tutti-${program.version}-deploy.tgz`), madeAt);
    const bill = billOfMaterials(program, libraries, madeAt);
    writeFileSync(
      join(to, `tutti-${program.version}.cdx.json`),
      `${JSON.stringify(bill, null, 2)}\n`,
    );
    writeFileSync(join(to, 'RELEASE-NOTES.md'), releaseNotes(program.version));
    writeSums(to);
    printSizes(to);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Seconds since 1970 of the commit, or as `SOURCE_DATE_EPOCH` says. */
function commitTime(): number {
  return Number(process.env.SOURCE_DATE_EPOCH ?? runTool('git', ['log', '-1', '--format=%ct']));
}

/** In the form of `sha256sum`, which checks them. */
function writeSums(folder: string): void {
  const lines = readdirSync(folder).map((name) => {
    const hash = createHash('sha256').update(readFileSync(join(folder, name)));
    return `${hash.digest('hex')}  ${name}\n`;
  });
  writeFileSync(join(folder, SUMS), lines.join(''));
}

function printSizes(folder: string): void {
  for (const name of readdirSync(folder)) {
    const size = statSync(join(folder, name)).size / MEBIBYTE;
    console.log(`${size.toFixed(1).padStart(8)} MiB  ${join(folder, name)}`);
  }
}
