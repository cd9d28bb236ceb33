/** `GET /openapi.json`, the description of the interface for programs, and `GET /openapi.html`, the same for people. */
import type { FastifySchema } from 'fastify';
import type { DescribedRoute, OpenApiOptions } from './openapi-document.ts';
import type { Routes } from './routes.ts';

export type { DescribedRoute, OpenApiOptions } from './openapi-document.ts';

/** `routes` is read at the first request, when all routes are known. */
export function openApiRoutes(
  routes: readonly DescribedRoute[],
  options: OpenApiOptions & { readonly insecureDocs: boolean },
): Routes {
  const describe = once(async () => {
    // Describing the interface happens rarely and must not cost anything at start.
    const { openApiDocument } = await import('./openapi-document.ts');
    return openApiDocument(routes, options);
  });
  const document = once(async () => `${JSON.stringify(await describe(), null, 2)}\n`);
  const page = once(async () => {
    const { openApiPage, PAGE_SECURITY_POLICY } = await import('./openapi-page.ts');
    return { html: openApiPage(await describe()), policy: PAGE_SECURITY_POLICY };
  });
  return (app) => {
    app.get('/openapi.json', { config: { anywhere: true } }, async (_request, reply) =>
      reply.type('application/json; charset=utf-8').send(await document()),
    );
    // A browser sends no token; the page shows nothing of this installation.
    const config = { ...(options.insecureDocs && { access: 'none' as const }), anywhere: true };
    app.get('/openapi.html', { config, schema: PAGE }, async (_request, reply) => {
      const { html, policy } = await page();
      return reply
        .type('text/html; charset=utf-8')
        .header('Content-Security-Policy', policy)
        .send(html);
    });
  };
}

const PAGE: FastifySchema = {
  summary: 'This description as a page',
  tags: ['common'],
  operation: ({ text }) => ({
    id: 'getInterfacePage',
    answers: { OK: { description: 'This page.', content: { 'text/html': { schema: text } } } },
  }),
};

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | null = null;
  return () => {
    made ??= make();
    return made;
  };
}
