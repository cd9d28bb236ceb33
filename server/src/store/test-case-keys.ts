/**
 * The keys of test cases as the database has them. They have 16 bytes. The first 12 are the identity over runs. The keys are hashes,
 * because long names would make an index that no cache holds. The suite comes first, because reports list cases suite by suite. So the
 * cases of one report go to few pages of the index.
 */
import { hash } from 'node:crypto';
import type { TestCaseKey } from './store.ts';

const SUITE_BYTES = 4;
const NAME_BYTES = 8;
const REFERENCE_BYTES = 4;
/** So many bytes are the same in all runs. */
export const IDENTITY_BYTES = SUITE_BYTES + NAME_BYTES;

export type HashKey = (key: TestCaseKey) => Uint8Array;

/** Neighbours have most of their key in common, so the hashes of the last one are kept. */
export function createKeyHash(): HashKey {
  const suiteHash = lastHash();
  const referenceHash = lastHash();
  return ({ suite, name, reference }) => {
    const ofSuite = suiteHash(suite);
    // With the whole hash of the suite, so that names of two suites whose beginnings are the same still differ.
    const ofName = hash('sha256', `${ofSuite.toString('hex')} ${name}`, 'buffer');
    const key = new Uint8Array(IDENTITY_BYTES + REFERENCE_BYTES);
    key.set(ofSuite.subarray(0, SUITE_BYTES));
    key.set(ofName.subarray(0, NAME_BYTES), SUITE_BYTES);
    key.set(referenceHash(reference).subarray(0, REFERENCE_BYTES), IDENTITY_BYTES);
    return key;
  };
}

function lastHash(): (text: string) => Buffer {
  let last = { text: '', hash: hash('sha256', '', 'buffer') };
  return (text) => {
    if (last.text !== text) last = { text, hash: hash('sha256', text, 'buffer') };
    return last.hash;
  };
}
