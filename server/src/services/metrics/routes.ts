/** `GET /metrics`, for Prometheus and what reads the same format. */
import { REASON_CODES } from '@tutti/manifests';
import { notAuthorized } from '../../auth/access.ts';
import type { Routes } from '../../http/routes.ts';
import type { Service } from '../../runtime/service.ts';
import type { MetricCollector, MetricSources } from './collect.ts';

const READ = { resource: 'metrics', verb: 'get' } as const;
const EXPOSED = {
  [REASON_CODES.OK]: {
    description: 'The metrics, in the text format of Prometheus.',
    content: { 'text/plain': { schema: { type: 'string' } } },
  },
};

export interface Metrics extends Service {
  readonly routes: Routes;
}

/** `isOpen`: whether they are told without a token. */
export function createMetrics(sources: MetricSources & { readonly isOpen: boolean }): Metrics {
  let collector: Promise<MetricCollector> | null = null;
  const load = async () => {
    // Many servers are never asked, and what answers must not cost them memory.
    const { MetricCollector } = await import('./collect.ts');
    return new MetricCollector(sources);
  };
  return {
    name: 'metrics',
    async start() {},
    async stop() {
      await (await collector)?.stop();
    },
    routes: (app) => {
      app.get(
        '/metrics',
        {
          config: { access: sources.isOpen ? 'none' : READ },
          schema: {
            summary: 'What the server counts and measures of itself',
            tags: ['common'],
            response: EXPOSED,
          },
        },
        async ({ access }, reply) => {
          const isAllowed = sources.isOpen || access.namespaces(READ.resource, READ.verb) === '*';
          // They are about all namespaces together.
          if (!isAllowed) throw notAuthorized(access, READ.verb, READ.resource);
          collector ??= load();
          const { EXPOSITION_TYPE } = await import('./exposition.ts');
          return reply.type(EXPOSITION_TYPE).send(await (await collector).expose());
        },
      );
    },
  };
}
