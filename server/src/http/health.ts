/** `GET /health` (specification 4.2), and with `ready` whether the server can do its work. */
import { type Status, status } from '@tutti/manifests';
import type { ReadinessReport } from '../runtime/readiness.ts';
import { queryFlag } from './query.ts';
import { sendStatus } from './reply.ts';
import type { DescribedOperation, Routes } from './routes.ts';

export interface HealthOptions {
  readonly insecure: boolean;
  /** Checks the needs of the server; absent if it has none. */
  readonly readiness?: () => Promise<ReadinessReport>;
}

const NOTHING: ReadinessReport = { failing: [], notes: [] };

export function healthRoutes({ insecure, readiness }: HealthOptions): Routes {
  return (app) => {
    app.get(
      '/health',
      {
        config: { ...(insecure && { access: 'none' }), anywhere: true },
        schema: {
          summary: 'Whether the server works',
          description:
            'With `ready` the server looks whether it can do its work: whether the store takes writes, the disk has room, and the database answers or has no damaged pages. It answers 200 or 503, with a Status that lists what fails and what to do. Who asks again within a second gets the same answer.',
          tags: ['common'],
          parameters: { ready: { type: 'boolean' } },
          operation: healthOperation,
        },
      },
      async (request, reply) => {
        if (queryFlag(request, 'ready')) {
          return sendStatus(reply, statusOf((await readiness?.()) ?? NOTHING));
        }
        return reply.type('text/plain; charset=utf-8').send('OK');
      },
    );
  };
}

const healthOperation: DescribedOperation = ({ json, only, refTo }) => ({
  id: 'getHealth',
  answers: {
    OK: {
      description: 'The server works. With `ready`, a Status: it can do its work.',
      content: {
        'text/plain': { schema: only('OK'), example: 'OK' },
        ...json(refTo('Status'), statusOf(NOTHING)),
      },
    },
  },
  failures: ['ServiceUnavailable'],
});

function statusOf({ failing, notes }: ReadinessReport): Status {
  const details = { failing, notes };
  if (failing.length === 0) return status('OK', 'The server is ready.', details);
  const names = failing.map(({ check }) => check).join(', ');
  return status('ServiceUnavailable', `The server is not ready: ${names}.`, details);
}
