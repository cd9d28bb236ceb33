/** `GET /metrics`, for Prometheus and what reads the same format. */
import { notAuthorized } from '../../auth/access.ts';
import type { DescribedOperation, Routes } from '../../http/routes.ts';
import type { Service } from '../../runtime/service.ts';
import type { MetricCollector, MetricSources } from './collect.ts';

const READ = { resource: 'metrics', verb: 'get' } as const;

const operation: DescribedOperation = ({ text: schema }) => {
  const content = { 'text/plain': { schema, example: 'tutti_runs_accepted_total 3\n' } };
  return {
    id: 'getMetrics',
    description:
      'Counters and measurements of the whole server, for those who may see all namespaces.',
    answers: { OK: { description: 'The text format of Prometheus.', content } },
  };
};

export interface Metrics extends Service {
  readonly routes: Routes;
}

/** `isOpen`: metrics need no token. */
export function createMetrics(sources: MetricSources & { readonly isOpen: boolean }): Metrics {
  let collector: Promise<MetricCollector> | null = null;
  const load = async () => {
    // Loaded on the first request: servers without requests save the memory.
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
          config: { access: sources.isOpen ? 'none' : READ, anywhere: true },
          schema: {
            summary: 'What the server counts and measures of itself',
            tags: ['common'],
            operation,
          },
        },
        async ({ access }, reply) => {
          const isAllowed = sources.isOpen || access.namespaces(READ.resource, READ.verb) === '*';
          // Metrics concern all namespaces together.
          if (!isAllowed) throw notAuthorized(access, READ.verb, READ.resource);
          collector ??= load();
          const { EXPOSITION_TYPE } = await import('./exposition.ts');
          return reply.type(EXPOSITION_TYPE).send(await (await collector).expose());
        },
      );
    },
  };
}
