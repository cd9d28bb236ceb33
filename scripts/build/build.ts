/** Builds the program into few files: `node scripts/build/build.ts`. After a change of a source the sources run instead (ADR 0014). */
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { OutputChunk } from 'rolldown';
import { codeIn, readRecord, recordIn, stampOf } from '../../cli/bin/program.js';
import { DIST, isSource, nameOf, ROOT, writeModules, writeScript } from './bundles.ts';

/** Time for which older builds are kept: running servers may still load parts of them. */
const KEPT_MS = 60 * 60_000;
const KEEP_MS_MAX = 60_000;

await build();

async function build(): Promise<void> {
  const startedMs = Date.now();
  const before = readRecord(DIST)?.folder;
  mkdirSync(DIST, { recursive: true });
  const passing = join(DIST, `passing-${process.pid}`);
  const chunks = await writeModules(passing);
  const script = await writeScript(passing);
  const folder = nameOf([...chunks, script]);
  const place = join(DIST, folder);
  if (existsSync(place)) rmSync(passing, { recursive: true });
  else renameSync(passing, place);
  if (!existsSync(codeIn(place))) keepCode(place);
  writeRecord(folder, sourcesOf(chunks), startedMs);
  removeOthers(new Set([folder, before]));
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
