/** Makes the test of a row of the table of attacks. */
import { type TestContext, test } from 'vitest';
import { ATTACKS, type Attack } from './attacks.ts';

const TABLE: Readonly<Record<string, Attack>> = ATTACKS;

/** A test that is named after its row, and fails where the bound does not hold. */
export function attack(
  id: keyof typeof ATTACKS,
  run: (context: TestContext) => Promise<void> | void,
  withinMs?: number,
): void {
  const row = TABLE[id];
  if (row === undefined) throw new Error(`attacks.ts has no row "${id}".`);
  test(
    `${row.attack} (${row.endpoint}): ${row.bound}`,
    withinMs === undefined ? {} : { timeout: withinMs },
    run,
  );
}
