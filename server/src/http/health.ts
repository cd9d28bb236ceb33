/** `GET /health` (specification 4.2). */
import type { Routes } from './routes.ts';

export function healthRoutes(options: { readonly insecure: boolean }): Routes {
  return (app) => {
    app.get(
      '/health',
      {
        config: options.insecure ? { access: 'none' } : {},
        schema: { summary: 'Whether the server works', tags: ['common'], produces: ['text/plain'] },
      },
      (_request, reply) => reply.type('text/plain; charset=utf-8').send('OK'),
    );
  };
}
