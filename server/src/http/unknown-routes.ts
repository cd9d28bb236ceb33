/** Answers for paths without a route, and for known paths with another method. */
import { OrchestratorError } from '@tutti/manifests';
import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify';

export interface KnownRoutes {
  add(route: RouteOptions): void;
  handleUnknown(request: FastifyRequest, reply: FastifyReply): never;
}

export function createKnownRoutes(): KnownRoutes {
  const methods = new Map<string, Set<string>>();
  return {
    add: ({ url, method }) => {
      const known = methods.get(url) ?? new Set();
      for (const name of [method].flat()) known.add(name);
      methods.set(url, known);
    },
    handleUnknown: (request, reply) => {
      const path = (request.url.split('?')[0] ?? '').replace(/\/{2,}/g, '/');
      const allowed = allowedMethods(methods, path);
      if (allowed.length === 0) throw new OrchestratorError('NotFound', `No such path: ${path}`);
      reply.header('Allow', allowed.join(', '));
      throw new OrchestratorError(
        'MethodNotAllowed',
        `${request.method} is not possible on ${path}, only ${allowed.join(', ')}.`,
      );
    },
  };
}

function allowedMethods(
  methods: ReadonlyMap<string, ReadonlySet<string>>,
  path: string,
): readonly string[] {
  const fitting = [...methods].filter(([url]) => fits(url, path));
  // A literal path of a route takes precedence: /workflows/status is no workflow.
  const spelled = fitting.filter(([url]) => !url.includes(':'));
  const allowed = (spelled.length > 0 ? spelled : fitting).flatMap(([, names]) => [...names]);
  return [...new Set(allowed)].sort();
}

/** Whether a path fits a route's pattern. A segment that begins with a colon takes any one segment, `*` the rest. */
function fits(url: string, path: string): boolean {
  const hasRest = url.endsWith('*');
  const wanted = segments(url).slice(0, hasRest ? -1 : undefined);
  const given = segments(path);
  return (
    (hasRest ? given.length >= wanted.length : given.length === wanted.length) &&
    wanted.every((segment, index) => segment.startsWith(':') || segment === given[index])
  );
}

const segments = (path: string): readonly string[] => path.replace(/\/$/, '').split('/');
