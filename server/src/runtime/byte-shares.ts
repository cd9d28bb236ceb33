/** Bounds bytes that are kept for long, in total and for each namespace. So each leaves room to the others. */
import { OrchestratorError } from '@tutti/manifests';
import { Counts } from './counts.ts';

export interface ByteSharesOptions {
  readonly bytesMax: number;
  /** Names of the user of the memory and of the remedy, for the refusal. */
  readonly what: string;
  readonly remedy: string;
}

/** Namespaces that something is of; `*` is all, which takes nothing of a share. */
export type SharedBy = Iterable<string> | '*';

export class ByteShares {
  readonly #options: ByteSharesOptions;
  readonly #ofNamespaces = new Counts();
  #bytes = 0;

  constructor(options: ByteSharesOptions) {
    this.#options = options;
  }

  /** Throws `TooManyRequests` if these bytes exceed the limit. A namespace may have half of it. */
  requireRoom(namespaces: SharedBy, bytes: number): void {
    const { bytesMax } = this.#options;
    if (this.#bytes + bytes > bytesMax) throw this.#refusal('', bytesMax);
    for (const namespace of listed(namespaces)) {
      if (this.#ofNamespaces.of(namespace) + bytes > bytesMax / 2)
        throw this.#refusal(` of namespace "${namespace}"`, bytesMax / 2);
    }
  }

  /** Adds bytes, or with a negative number takes them away. */
  add(namespaces: SharedBy, bytes: number): void {
    this.#bytes += bytes;
    for (const namespace of listed(namespaces)) this.#ofNamespaces.add(namespace, bytes);
  }

  #refusal(whose: string, max: number): OrchestratorError {
    const { what, remedy } = this.#options;
    return new OrchestratorError(
      'TooManyRequests',
      `The ${what}${whose} have no room for one more in the ${Math.floor(max)} bytes of memory that they may take. ${remedy}`,
    );
  }
}

const listed = (namespaces: SharedBy): Iterable<string> => (namespaces === '*' ? [] : namespaces);
