/**
 * Ends requests, agents and subscriptions when their token ends. Each counts only as long as its token does, and with the rights of the
 * token. Tokens are verified again when access files change, when they expire, and when a key set is fetched again. In between each costs
 * four comparisons a second.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { isOrchestratorError, OrchestratorError } from '@tutti/manifests';
import type { Clock } from '../runtime/clock.ts';
import type { Logger } from '../runtime/logger.ts';
import type { Service } from '../runtime/service.ts';
import { type Access, RESOURCES, VERBS } from './access.ts';
import type { TokenAuthority, Validity } from './authenticator.ts';
import { AUTH_LIMITS } from './limits.ts';

export interface HeldToken {
  /** The `Authorization` header that it was opened with. */
  readonly authorization: string;
  readonly access: Access;
  /** Called once, when the token does not count any more, or allows less than `access`. Must not throw. */
  end(refusal: OrchestratorError): void;
}

export interface HeldTokensDeps {
  readonly authority: TokenAuthority;
  readonly clock: Clock;
  readonly logger: Logger;
}

export class HeldTokens implements Service {
  readonly name = 'heldtokens';
  readonly #deps: HeldTokensDeps;
  readonly #held = new Map<HeldToken, Validity | null>();
  readonly #listeners: (() => Promise<void>)[] = [];
  #trust: object | null = null;
  #timer: NodeJS.Timeout | null = null;
  #looking: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(deps: HeldTokensDeps) {
    this.#deps = deps;
  }

  async start(): Promise<void> {
    this.#trust = await this.#deps.authority.trust();
    this.#lookLater(AUTH_LIMITS.fileCheckMs);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.#looking;
  }

  /** Holds an access until it is released, at the end of the request, agent or subscription. */
  hold(held: HeldToken): void {
    this.#held.set(held, null);
  }

  release(held: HeldToken): void {
    this.#held.delete(held);
  }

  /** Called after each change of what decides access, when all that is held was looked at. */
  whenTrustChanged(listener: () => Promise<void>): void {
    this.#listeners.push(listener);
  }

  /** Looks now, as before something is handed over. Throws `Unauthorized` or `Forbidden`, and has ended it then. */
  async check(held: HeldToken): Promise<void> {
    const refusal = await this.#refusalOf(held);
    if (refusal === null) return;
    this.#end(held, refusal);
    throw refusal;
  }

  /** Verifies all held tokens; when it resolves, each access that no longer counts has ended. */
  async look(): Promise<void> {
    const trust = await this.#deps.authority.trust();
    const hasChanged = trust !== this.#trust;
    this.#trust = trust;
    const due = [...this.#held.keys()].filter((held) => hasChanged || this.#isDue(held));
    for (let at = 0; at < due.length; at += AUTH_LIMITS.checkedAtOnce) {
      const some = due.slice(at, at + AUTH_LIMITS.checkedAtOnce);
      await Promise.all(some.map((held) => this.#checkOne(held)));
      await nextTurn();
    }
    if (!hasChanged) return;
    for (const listener of this.#listeners) await listener();
  }

  async #checkOne(held: HeldToken): Promise<void> {
    try {
      const refusal = await this.#refusalOf(held);
      if (refusal !== null) this.#end(held, refusal);
    } catch (error) {
      this.#deps.logger.error({ err: error }, 'A token that is in use could not be verified.');
    }
  }

  #end(held: HeldToken, refusal: OrchestratorError): void {
    if (this.#held.delete(held)) held.end(refusal);
  }

  /** Null while it counts as before. */
  async #refusalOf(held: HeldToken): Promise<OrchestratorError | null> {
    try {
      const { authority } = this.#deps;
      const access = await authority.authenticate(held.authorization);
      if (!allowsAll(access, held.access)) return lessAllowed(held.access);
      if (this.#held.has(held)) this.#held.set(held, authority.validityOf(access));
      return null;
    } catch (error) {
      if (isOrchestratorError(error)) return error;
      throw error;
    }
  }

  #isDue(held: HeldToken): boolean {
    const { clock } = this.#deps;
    const { expiresAtMs, checkAgainAtMs } = this.#validityOf(held);
    return clock.now() >= expiresAtMs || clock.monotonicMs() >= checkAgainAtMs;
  }

  /** Read late: most requests end before anybody asks. */
  #validityOf(held: HeldToken): Validity {
    const known = this.#held.get(held) ?? null;
    if (known !== null) return known;
    const validity = this.#deps.authority.validityOf(held.access);
    if (this.#held.has(held)) this.#held.set(held, validity);
    return validity;
  }

  /** Time until the next token expires, at most the time between two looks at the files. */
  #pauseMs(): number {
    const nowMs = this.#deps.clock.now();
    let pauseMs: number = AUTH_LIMITS.fileCheckMs;
    for (const held of this.#held.keys()) {
      const leftMs = this.#validityOf(held).expiresAtMs - nowMs;
      if (leftMs < pauseMs) pauseMs = Math.max(1, leftMs);
    }
    return pauseMs;
  }

  #lookLater(pauseMs: number): void {
    if (this.#stopped) return;
    this.#timer = setTimeout(() => {
      this.#looking = this.look()
        .catch((error) =>
          this.#deps.logger.error({ err: error }, 'Tokens in use were not checked.'),
        )
        .then(() => this.#lookLater(this.#pauseMs()));
    }, pauseMs);
    this.#timer.unref();
  }
}

/** True when `now` allows all that was allowed `before`. */
function allowsAll(now: Access, before: Access): boolean {
  if (now === before) return true;
  return RESOURCES.every((resource) =>
    VERBS.every((verb) => {
      const [more, less] = [now.namespaces(resource, verb), before.namespaces(resource, verb)];
      return more === '*' || (less !== '*' && [...less].every((name) => more.has(name)));
    }),
  );
}

const lessAllowed = (access: Access): OrchestratorError =>
  new OrchestratorError('Forbidden', `The rights of user ${access.subject} were reduced.`);
