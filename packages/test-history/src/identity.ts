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

/** SHA-1 of bytes, in hexadecimal digits: names of UUIDs are not secret. */
export type Sha1 = (bytes: Uint8Array) => string;

/** The space of the names of tests; that of variants is the id of their test. */
const TESTS = '7f6a1c52-6f0e-5b1e-9d53-3f1d2a7c9b80';
/** The space of the names of causes. */
const CAUSES = '1c9d5f0e-4b0a-5c46-8d3e-6a2f8e0b7d15';
const PROJECT_LABEL = 'tutti/project';

export const testIdOf = (test: TestIdentity, sha1: Sha1): string =>
  uuid5(
    TESTS,
    textOf([test.namespace, test.project, test.technology, test.suite, test.name]),
    sha1,
  );

export const variantIdOf = (testId: string, variant: VariantIdentity, sha1: Sha1): string =>
  uuid5(testId, textOf([variant.job, variant.function]), sha1);

/** A cause has the id of its first fingerprint, so that it gets the same one when it comes back. */
export const causeIdOf = (
  { namespace, project }: Pick<TestIdentity, 'namespace' | 'project'>,
  fingerprint: string,
  sha1: Sha1,
): string => uuid5(CAUSES, textOf([namespace, project, fingerprint]), sha1);

/** The function of a test case, without its version: that says how a test is run. Test cases of one job that differ in their reference only are told apart. */
export const functionOf = (of: { readonly uses: string; readonly test: string }): string =>
  [of.uses.replace(/@[^@]*$/, ''), of.test].filter((text) => text !== '').join(' ');

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
/** A code unit of UTF-16 has at most so many in UTF-8. */
const UTF8_BYTES_MAX = 3;
const encoder = new TextEncoder();
/** Values of the codes of hexadecimal digits: parsing them takes longer than the hash. */
const DIGITS = new Uint8Array(128);
for (let value = 0; value < 16; value++) DIGITS[value.toString(16).charCodeAt(0)] = value;
const digitAt = (text: string, place: number): number => DIGITS[text.charCodeAt(place)] ?? 0;
/** Space and name, for each hash again: a new array takes longer than the hash. */
let named = new Uint8Array(SPACE_BYTES + 4096);

/** RFC 9562: a UUID of a name in a space of names. Each result of a test needs two of them, so it takes few steps. */
export function uuid5(space: string, name: string, sha1: Sha1): string {
  const bytesMax = SPACE_BYTES + name.length * UTF8_BYTES_MAX;
  if (named.length < bytesMax) named = new Uint8Array(bytesMax);
  let at = 0;
  for (let place = 0; at < SPACE_BYTES; place += 2) {
    if (space[place] === '-') place++;
    named[at++] = digitAt(space, place) * 16 + digitAt(space, place + 1);
  }
  const { written } = encoder.encodeInto(name, named.subarray(SPACE_BYTES));
  const hex = sha1(named.subarray(0, SPACE_BYTES + written));
  // Version 5, and the variant of the RFC.
  const variant = '89ab'[digitAt(hex, 16) & 0x3];
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
