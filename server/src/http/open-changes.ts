/**
 * Bounds the time of requests that change something in a database that may be away. Such a request is answered after a time, although
 * nobody knows yet what becomes of its change. The change goes on behind the answer, and is stored or not. While there are too many of
 * these, further requests are refused at once.
 *
 * Posts of agents wait as long as it takes. Existing agents take any answer for a receipt, and ours give up by themselves.
 */
import { OrchestratorError } from '@tutti/manifests';
import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify';
import { LIMITS } from '../runtime/limits.ts';
import type { DatabaseMeters } from '../runtime/meters.ts';
import { isReading } from './announced-writes.ts';

export interface OpenChangesDeps {
  /** `waitingMs`: how long the oldest change that was handed to the store has waited. */
  readonly database: { waitingMs(): number };
  readonly meters: { readonly database: Pick<DatabaseMeters, 'unknownOutcomes'> };
}

export interface OpenChangesLimits {
  readonly waitMs: number;
  readonly lookMs: number;
  readonly unknownMax: number;
}

const OPEN_CHANGES: OpenChangesLimits = {
  waitMs: LIMITS.changeSeconds * 1000,
  lookMs: LIMITS.changeLookMs,
  unknownMax: LIMITS.unknownChanges,
};

/** Call it before routes are registered. */
export function boundChanges(
  app: FastifyInstance,
  deps: OpenChangesDeps,
  limits: OpenChangesLimits = OPEN_CHANGES,
): void {
  const changes = new OpenChanges(deps, limits);
  const timer = setInterval(() => changes.look(performance.now()), limits.lookMs).unref();
  app.addHook('onRoute', (route) => {
    if (!isBounded(route)) return;
    const { handler } = route;
    route.handler = function bounded(request, reply) {
      return changes.run(request, () => handler.call(this, request, reply));
    };
  });
  app.addHook('onClose', (_app, done) => {
    clearInterval(timer);
    done();
  });
}

const isBounded = ({ method, config }: RouteOptions): boolean =>
  ![method].flat().every(isReading) && config?.isAudited !== false;

interface OpenChange {
  readonly request: FastifyRequest;
  /** Settles when the handler has ended. */
  readonly ended: Promise<unknown>;
  readonly reject: (refusal: Error) => void;
  /** The first look that saw its whole body. */
  sinceMs: number | null;
  isUnknown: boolean;
}

class OpenChanges {
  readonly #deps: OpenChangesDeps;
  readonly #limits: OpenChangesLimits;
  readonly #open = new Set<OpenChange>();
  #unknown = 0;

  constructor(deps: OpenChangesDeps, limits: OpenChangesLimits) {
    this.#deps = deps;
    this.#limits = limits;
  }

  /** Settles as the handler does, or earlier with a refusal. */
  run(request: FastifyRequest, handle: () => unknown): unknown {
    if (this.#unknown >= this.#limits.unknownMax) throw tooMany(this.#unknown);
    const ended = handle();
    if (!(ended instanceof Promise)) return ended;
    return new Promise((resolve, reject) => {
      const change: OpenChange = { request, ended, reject, sinceMs: null, isUnknown: false };
      this.#open.add(change);
      const end = () => {
        this.#open.delete(change);
        if (change.isUnknown) this.#unknown -= 1;
      };
      ended.then(resolve, reject).then(end);
    });
  }

  /** Answers what waits for too long, if that is because of the database. */
  look(nowMs: number): void {
    const { waitMs } = this.#limits;
    const isSlow = this.#deps.database.waitingMs() >= waitMs;
    for (const change of this.#open) {
      if (change.isUnknown || !change.request.raw.complete) continue;
      change.sinceMs ??= nowMs;
      if (isSlow && nowMs - change.sinceMs >= waitMs) this.#answer(change);
    }
  }

  #answer(change: OpenChange): void {
    const { request, ended, reject } = change;
    change.isUnknown = true;
    this.#unknown += 1;
    this.#deps.meters.database.unknownOutcomes.count += 1;
    request.incoming?.keepUntil(ended);
    reject(unknownOutcome());
  }
}

const unknownOutcome = (): OrchestratorError =>
  new OrchestratorError(
    'ServiceUnavailable',
    'The database has not confirmed the change in time. It may still be stored: look before you send it again.',
    { details: { outcome: 'unknown' } },
  );

const tooMany = (count: number): OrchestratorError =>
  new OrchestratorError(
    'ServiceUnavailable',
    `The database does not store changes, and ${count} changes wait for it, which is the limit. Try again later.`,
  );
