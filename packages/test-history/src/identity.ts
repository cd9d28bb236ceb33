/** The identity of tests and variants: ids that are the same in all runs, and on all servers. */

/** The five parts that make a test the same one in all runs. */
export interface TestIdentity {
  readonly namespace: string;
  readonly project: string;
  readonly technology: string;
  readonly suite: string;
  readonly name: string;
}

/** Where a test runs. */
export interface VariantIdentity {
  /** The key of its job, with the cell of the matrix. */
  readonly job: string;
  /** The function that ran it; empty for a `run` step. */
  readonly function: string;
}

/** SHA-1 of bytes: names of UUIDs are not secret. */
export type Sha1 = (bytes: Uint8Array) => Uint8Array;

/** The space of the names of tests; that of variants is the id of their test. */
const TESTS = '7f6a1c52-6f0e-5b1e-9d53-3f1d2a7c9b80';
const PROJECT_LABEL = 'tutti/project';

export const testIdOf = (test: TestIdentity, sha1: Sha1): string =>
  uuid5(
    TESTS,
    textOf([test.namespace, test.project, test.technology, test.suite, test.name]),
    sha1,
  );

export const variantIdOf = (testId: string, variant: VariantIdentity, sha1: Sha1): string =>
  uuid5(testId, textOf([variant.job, variant.function]), sha1);

/** Parts with any characters do not run into each other. */
const textOf = (parts: readonly string[]): string => JSON.stringify(parts);

/** The group that the tests of a workflow belong to: two workflows with one label share their tests. */
export function projectOf(workflow: {
  readonly name: string;
  readonly labels: ReadonlyMap<string, string>;
}): string {
  return workflow.labels.get(PROJECT_LABEL) || workflow.name;
}

const SPACE_BYTES = 16;
const encoder = new TextEncoder();
const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));
/** A hyphen comes before these bytes. */
const PARTS: ReadonlySet<number> = new Set([4, 6, 8, 10]);

/** RFC 9562: a UUID of a name in a space of names. Each result of a test needs two of them, so it takes few steps. */
export function uuid5(space: string, name: string, sha1: Sha1): string {
  const text = encoder.encode(name);
  const named = new Uint8Array(SPACE_BYTES + text.length);
  let at = 0;
  for (let place = 0; at < SPACE_BYTES; place += 2) {
    if (space[place] === '-') place++;
    named[at++] = Number.parseInt(space.slice(place, place + 2), 16);
  }
  named.set(text, SPACE_BYTES);
  const digest = sha1(named);
  let uuid = '';
  for (let byte = 0; byte < SPACE_BYTES; byte++) {
    if (PARTS.has(byte)) uuid += '-';
    uuid += HEX[marked(byte, digest[byte] ?? 0)];
  }
  return uuid;
}

/** Version 5, and the variant of the RFC. */
function marked(place: number, byte: number): number {
  if (place === 6) return (byte & 0x0f) | 0x50;
  return place === 8 ? (byte & 0x3f) | 0x80 : byte;
}
