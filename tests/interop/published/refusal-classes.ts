/** The classes of refusals that tests/conformance/differences.md gives reasons for: each a message, with `…` for what differs. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const PAGE = join(import.meta.dirname, '../../../tests/conformance/differences.md');
const HEADING = '### Workflows that are refused';

export interface RefusalClass {
  /** As the page has it. */
  readonly message: string;
  readonly pattern: RegExp;
}

export function documentedRefusals(): readonly RefusalClass[] {
  const [, section = ''] = readFileSync(PAGE, 'utf8').split(`${HEADING}\n`);
  const [table = ''] = section.split(/\n#/, 1);
  const cells = table.split('\n').flatMap((line) => /^\| (`.*?`) \|/.exec(line)?.[1] ?? []);
  return cells.flatMap((cell) =>
    [...cell.matchAll(/`([^`]+)`/g)].map(([, message = '']) => classOf(message)),
  );
}

/** A hint may follow. */
function classOf(message: string): RefusalClass {
  const parts = message.split('…').map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return { message, pattern: new RegExp(`^${parts.join('.*')}(?:,? did you mean ".*"\\?)?$`, 'i') };
}

const PATH = /^(?:[\w.-]|\[\d+\]|\["[^"]*"\])+: /;
const PLACE = / \(line \d+, column \d+\)$/;

/** The lines of a refusal, each without its path and its place. */
export const problemsIn = (error: string): readonly string[] =>
  error.split('\n').map((line) => line.replace(PATH, '').replace(PLACE, ''));
