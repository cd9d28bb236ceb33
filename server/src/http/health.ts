/** `GET /health` (specification 4.2). */
import { REASON_CODES } from '@tutti/manifests';
import type { Routes } from './routes.ts';

const HEALTHY = {
  [REASON_CODES.OK]: {
    description: 'OK',
    content: { 'text/plain': { schema: { type: 'string', const: 'OK' } } },
  },
};

export function healthRoutes(options: { readonly insecure: boolean }): Routes {
  return (app) => {
    app.get(
      '/health',
      {
        config: options.insecure ? { access: 'none' } : {},
        schema: { summary: 'Whether the server works', tags: ['common'], response: HEALTHY },
      },
      (_request, reply) => reply.type('text/plain; charset=utf-8').send('OK'),
    );
  };
}
