/** Sessions of browsers: the token that signed in is kept encrypted, and the browser has the key in a cookie. */
import type { ServerResponse } from 'node:http';
import type { PageSession, PageSessions } from '../../http/page-requests.ts';
import type { Clock } from '../../runtime/clock.ts';

import { CODE_LIMITS, SESSION_LIMITS } from './limits.ts';
import { isSecret } from './sealed-token.ts';
import { type SafeStore, TokenSafe } from './token-safe.ts';

/** The sender of a token, its `Authorization` header, and the end of the token. */
export interface SignedIn {
  readonly subject: string;
  readonly authorization: string;
  readonly expiresAtMs: number;
}

export interface SessionsDeps {
  readonly store: SafeStore;
  readonly clock: Clock;
}

export class Sessions implements PageSessions {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #sessions: TokenSafe;
  readonly #codes: TokenSafe;
  /** Open answers by the ids of their sessions. */
  readonly #held = new Map<string, Set<ServerResponse>>();

  constructor({ store, clock }: SessionsDeps) {
    this.#clock = clock;
    const deps = { store, clock };
    this.#sessions = new TokenSafe({ ...deps, collection: 'ui-sessions', limits: SESSION_LIMITS });
    this.#codes = new TokenSafe({ ...deps, collection: 'ui-codes', limits: CODE_LIMITS });
  }

  /** Resolves with the content of the cookie, and the seconds for which it counts. */
  async begin({ expiresAtMs, ...token }: SignedIn) {
    const { secret, endsAtMs } = await this.#sessions.add(token, expiresAtMs);
    const seconds = Math.max(0, Math.floor((endsAtMs - this.#clock.now()) / 1000));
    return { secret, seconds, endsAtMs };
  }

  /** A code that signs in once. */
  async newCode({ expiresAtMs, ...token }: SignedIn): Promise<string> {
    return (await this.#codes.add(token, expiresAtMs)).secret;
  }

  /** The `Authorization` header behind a code, for the first who has it. Null for everyone else. */
  async redeem(code: string): Promise<string | null> {
    return isSecret(code) ? ((await this.#codes.take(code))?.authorization ?? null) : null;
  }

  find(secret: string): Promise<PageSession | null> {
    return this.#sessions.open(secret);
  }

  async end(secret: string): Promise<void> {
    const ended = await this.#sessions.take(secret);
    if (ended !== null) this.#close(ended.id);
  }

  async endAll(subject: string): Promise<void> {
    await this.#codes.removeAll(subject);
    for (const id of await this.#sessions.removeAll(subject)) this.#close(id);
  }

  hold({ id, endsAtMs }: PageSession, answer: ServerResponse): void {
    const answers = this.#held.get(id) ?? new Set();
    this.#held.set(id, answers.add(answer));
    const timer = setTimeout(() => answer.destroy(), endsAtMs - this.#clock.now()).unref();
    answer.on('close', () => {
      clearTimeout(timer);
      answers.delete(answer);
      if (answers.size === 0 && this.#held.get(id) === answers) this.#held.delete(id);
    });
  }

  /** Lets an answer outlive its session. */
  release(answer: ServerResponse): void {
    for (const answers of this.#held.values()) answers.delete(answer);
  }

  /** Output that a handler writes later is discarded. */
  #close(id: string): void {
    for (const answer of this.#held.get(id) ?? []) answer.destroy();
  }
}
