/** Counts requests, answers and durations by route. It never reads paths of requests. */
import type { FastifyInstance } from 'fastify';
import { OTHER } from '../runtime/meters.ts';

/** Methods of requests without a route; any other method counts as `other`. */
const METHODS: ReadonlySet<string> = new Set(['DELETE', 'GET', 'HEAD', 'PATCH', 'POST', 'PUT']);
const NO_ROUTE = 'none';

/** The requests of one route with one method. */
export interface RouteCounts {
  readonly route: string;
  readonly method: string;
  /** By HTTP code. */
  readonly codes: Map<number, number>;
  count: number;
  seconds: number;
}

export class RequestCounts {
  readonly #routes = new Map<string, Map<string, RouteCounts>>();

  /** `route` is the declared path; undefined if none matched. */
  add(route: string | undefined, method: string, code: number, seconds: number): void {
    const counts =
      route === undefined
        ? this.#countsOf(NO_ROUTE, METHODS.has(method) ? method : OTHER)
        : this.#countsOf(route, method);
    counts.codes.set(code, (counts.codes.get(code) ?? 0) + 1);
    counts.count += 1;
    counts.seconds += seconds;
  }

  *all(): Iterable<RouteCounts> {
    for (const methods of this.#routes.values()) yield* methods.values();
  }

  #countsOf(route: string, method: string): RouteCounts {
    const methods = this.#routes.get(route) ?? new Map<string, RouteCounts>();
    this.#routes.set(route, methods);
    const known = methods.get(method);
    if (known !== undefined) return known;
    const counts = { route: asTemplate(route), method, codes: new Map(), count: 0, seconds: 0 };
    methods.set(method, counts);
    return counts;
  }
}

/** `/workflows/:workflow_id` as documents write it. */
const asTemplate = (route: string): string => route.replace(/:(\w+)/g, '{$1}');

export function countRequests(app: FastifyInstance, counts: RequestCounts): void {
  app.addHook('onResponse', (request, reply, done) => {
    const { url } = request.routeOptions;
    // The replica that answered counts it.
    if (request.isForwarded) return done();
    counts.add(url, request.method, reply.statusCode, reply.elapsedTime / 1000);
    done();
  });
}
