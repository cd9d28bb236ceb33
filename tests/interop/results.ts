/** Verdicts of the last run of each test, kept beside the installed programs. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { digest, toolCache } from '../support/tool-cache.ts';

export type Verdict = 'works' | 'fails';

const FOLDER = join(toolCache('interop').folder, 'verdicts');
const fileOf = (claim: string): string => join(FOLDER, digest(claim));

export function writeVerdict(claim: string, verdict: Verdict): void {
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(fileOf(claim), verdict);
}

export function clearVerdict(claim: string): void {
  rmSync(fileOf(claim), { force: true });
}

/** Before a run: what is not tested by it has no verdict. */
export function clearVerdicts(): void {
  rmSync(FOLDER, { recursive: true, force: true });
}

/** Null for what was not tested. */
export function readVerdict(claim: string): Verdict | null {
  try {
    return readFileSync(fileOf(claim), 'utf8') === 'works' ? 'works' : 'fails';
  } catch {
    return null;
  }
}
