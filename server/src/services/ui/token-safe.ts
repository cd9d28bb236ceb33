/** Keeps tokens for those who have their secrets: sessions of browsers, and codes that sign in once. */
import { OrchestratorError } from '@tutti/manifests';
import type { PageSession } from '../../http/page-requests.ts';
import type { Clock } from '../../runtime/clock.ts';
import { type DocumentWrite, removalFrom, type Store } from '../../store/store.ts';
import { newSecret, openToken, type SealedToken, sealToken, storedIdOf } from './sealed-token.ts';

export interface SafeLimits {
  readonly lifeMs: number;
  readonly unusedMs: number;
  readonly useMs: number;
  readonly ofSubject: number;
  readonly all: number;
}

/** Keeps private documents. */
export type SafeStore = Pick<Store, 'document' | 'documents' | 'write'>;

export interface TokenSafeDeps {
  readonly store: SafeStore;
  readonly clock: Pick<Clock, 'now'>;
  readonly collection: string;
  readonly limits: SafeLimits;
}

/** A kept token. Times are milliseconds since 1970. */
interface KeptToken {
  readonly subject: string;
  readonly sealed: SealedToken;
  readonly usedAtMs: number;
  readonly endsAtMs: number;
}

interface Named extends KeptToken {
  readonly id: string;
}

export class TokenSafe {
  readonly #deps: TokenSafeDeps;
  readonly #removal: (id: string) => DocumentWrite;
  /** Changes wait for each other, so that none undoes another. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(deps: TokenSafeDeps) {
    this.#deps = deps;
    this.#removal = removalFrom(deps.collection);
  }

  /** Resolves with the secret once the token is stored. `expiresAtMs` is the end of the token itself. */
  add(
    { subject, authorization }: { readonly subject: string; readonly authorization: string },
    expiresAtMs: number,
  ): Promise<{ readonly secret: string; readonly endsAtMs: number }> {
    return this.#inTurn(async () => {
      const { clock, limits } = this.#deps;
      const nowMs = clock.now();
      const kept = await this.#all();
      const current = kept.filter((each) => !this.#isOver(each, nowMs));
      const others = current
        .filter((each) => each.subject === subject)
        .toSorted((one, other) => other.usedAtMs - one.usedAtMs)
        .slice(limits.ofSubject - 1);
      if (current.length - others.length >= limits.all) {
        throw new OrchestratorError('TooManyRequests', 'Too many people are signed in.');
      }
      const removed = [...kept.filter((each) => !current.includes(each)), ...others];
      const secret = newSecret();
      const endsAtMs = Math.min(nowMs + limits.lifeMs, expiresAtMs);
      const added = {
        subject,
        sealed: sealToken(secret, authorization),
        usedAtMs: nowMs,
        endsAtMs,
      };
      await this.#write([
        ...removed.map(({ id }) => this.#removal(id)),
        this.#document(storedIdOf(secret), added),
      ]);
      return { secret, endsAtMs };
    });
  }

  /** The token, which stays. Null if the secret opens nothing. */
  async open(secret: string): Promise<PageSession | null> {
    const { clock, limits } = this.#deps;
    const found = await this.#find(secret);
    if (found !== null && clock.now() - found.kept.usedAtMs >= limits.useMs) {
      const noted = this.#inTurn(async () => {
        // It may have been removed meanwhile.
        const again = await this.#find(secret);
        if (again === null) return;
        const used = { ...again.kept, usedAtMs: clock.now() };
        await this.#write([this.#document(again.opened.id, used)]);
      });
      // The token counts also where its use cannot be noted, as on a replica that does not write.
      await noted.catch(() => undefined);
    }
    return found?.opened ?? null;
  }

  /** The token, which nobody gets again. */
  take(secret: string): Promise<PageSession | null> {
    return this.#inTurn(async () => {
      const found = await this.#find(secret);
      if (found === null) return null;
      await this.#write([this.#removal(found.opened.id)]);
      return found.opened;
    });
  }

  /** Removes all tokens of a subject. Resolves with their stored ids. */
  removeAll(subject: string): Promise<readonly string[]> {
    return this.#inTurn(async () => {
      const kept = await this.#all();
      const ids = kept.filter((each) => each.subject === subject).map(({ id }) => id);
      await this.#write(ids.map(this.#removal));
      return ids;
    });
  }

  async #find(
    secret: string,
  ): Promise<{ readonly kept: KeptToken; readonly opened: PageSession } | null> {
    const { store, clock, collection } = this.#deps;
    const id = storedIdOf(secret);
    const json = await store.document(collection, id);
    if (json === null) return null;
    const kept: KeptToken = JSON.parse(json);
    if (this.#isOver(kept, clock.now())) return null;
    const authorization = openToken(secret, kept.sealed);
    if (authorization === null) return null;
    return { kept, opened: { id, authorization, endsAtMs: kept.endsAtMs } };
  }

  async #all(): Promise<readonly Named[]> {
    const documents = await this.#deps.store.documents(this.#deps.collection);
    return documents.map(({ key, json }) => ({ ...(JSON.parse(json) as KeptToken), id: key }));
  }

  #isOver({ usedAtMs, endsAtMs }: KeptToken, nowMs: number): boolean {
    return nowMs >= endsAtMs || nowMs - usedAtMs >= this.#deps.limits.unusedMs;
  }

  #document(key: string, kept: KeptToken): DocumentWrite {
    return { collection: this.#deps.collection, key, json: JSON.stringify(kept) };
  }

  async #write(documents: readonly DocumentWrite[]): Promise<void> {
    if (documents.length > 0) await this.#deps.store.write({ documents });
  }

  #inTurn<Value>(work: () => Promise<Value>): Promise<Value> {
    const done = this.#last.then(work, work);
    this.#last = done;
    return done;
  }
}
