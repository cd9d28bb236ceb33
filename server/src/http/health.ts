/** `GET /health` (specification 4.2), and with `ready` whether the server can do its work. */
import { REASON_CODES, type Status, status } from '@tutti/manifests';
import type { ReadinessReport } from '../runtime/readiness.ts';
import { queryFlag } from './query.ts';
import { sendStatus } from './reply.ts';
import type { Routes } from './routes.ts';

const HEALTHY = {
  [REASON_CODES.OK]: {
    description: 'OK',
    content: { 'text/plain': { schema: { type: 'string', const: 'OK' } } },
  },
};

export interface HealthOptions {
  readonly insecure: boolean;
  /** Looks at what the server needs; absent where it needs nothing. */
  readonly readiness?: () => Promise<ReadinessReport>;
}

const NOTHING: ReadinessReport = { failing: [], notes: [] };

export function healthRoutes({ insecure, readiness }: HealthOptions): Routes {
  return (app) => {
    app.get(
      '/health',
      {
        config: insecure ? { access: 'none' } : {},
        schema: {
          summary: 'Whether the server works',
          description:
            'With `ready` the server looks whether it can do its work: whether the store takes writes, the disk has room, and the database has no damaged pages. It answers 200 or 503, with a Status that lists what fails and what to do. Who asks again within a second gets the same answer.',
          tags: ['common'],
          querystring: { type: 'object', properties: { ready: { type: 'boolean' } } },
          response: HEALTHY,
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

function statusOf({ failing, notes }: ReadinessReport): Status {
  const details = { failing, notes };
  if (failing.length === 0) return status('OK', 'The server is ready.', details);
  const names = failing.map(({ check }) => check).join(', ');
  return status('ServiceUnavailable', `The server is not ready: ${names}.`, details);
}
