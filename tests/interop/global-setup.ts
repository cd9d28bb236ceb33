/** Hooks around a run of the suite. They remove old verdicts, and write the document of the new ones on request. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compatibilityDocument } from './compatibility.ts';
import { clearVerdicts, readVerdict, type Verdict } from './results.ts';

const PAGE = join(import.meta.dirname, '../../docs/reference/compatibility.md');

export function setup(): void {
  clearVerdicts();
}

export function teardown(): void {
  if (process.env.TUTTI_COMPATIBILITY === '1') writeFileSync(PAGE, compatibilityDocument(tested));
}

function tested(claim: string): Verdict {
  const verdict = readVerdict(claim);
  if (verdict !== null) return verdict;
  throw new Error(`Not tested, so docs/reference/compatibility.md was not written: ${claim}`);
}
