/** Hashes that stand for texts of any length in indexes, which take 2.7 KB at most. */
import { hash } from 'node:crypto';
import { toPlain } from './plain-text.ts';

const HASH_BYTES = 16;

const hashOf = (text: string): Buffer => hash('sha256', text, 'buffer').subarray(0, HASH_BYTES);

/** The hash of the key of a document. */
export const keyHashOf = (key: string): Buffer => hashOf(toPlain(key));

/** The hash of the namespace and name of a run, both as they are stored. */
export const nameHashOf = ({
  namespace,
  name,
}: {
  readonly namespace: string;
  readonly name: string;
}): Buffer => hashOf(`${namespace}\0${name}`);
