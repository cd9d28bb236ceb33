/** `GET /namespaces` (specification 4.5): the namespaces where the token has a right. */
import { messages, OrchestratorError, status } from '@tutti/manifests';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type Access, RESOURCES, type Resource, VERBS } from '../../auth/access.ts';
import { choiceOf, queryText } from '../../http/query.ts';
import { sendStatus } from '../../http/reply.ts';

/** Resources without namespaces: a token has a right to them in all namespaces, or none. */
const OF_ALL: ReadonlySet<Resource> = new Set(['commands', 'metrics']);

export function namespaceRoutes(app: FastifyInstance): void {
  app.get(
    '/namespaces',
    {
      config: { anywhere: true },
      schema: {
        summary: 'Namespaces in which an operation, or any operation, is allowed',
        tags: ['observer'],
        parameters: {
          resource: { type: 'string', enum: RESOURCES },
          verb: { type: 'string', enum: VERBS },
        },
        operation: ({ listing, listOf, text }) => ({
          id: 'listNamespaces',
          answers: listing('Accessible namespaces', listOf(text), ['*']),
        }),
      },
    },
    async (request, reply) => {
      const items = namespacesFor(request);
      return sendStatus(reply, status('OK', 'Accessible namespaces', { items }));
    },
  );
}

function namespacesFor(request: FastifyRequest): readonly string[] {
  const resource = queryText(request, 'resource');
  const verb = queryText(request, 'verb');
  if (resource === null && verb === null) return namespacesOfAny(request.access);
  // An empty value beside a full one, as a client without a setting sends it, is none.
  if (resource === null || verb === null || !resource !== !verb) {
    throw new OrchestratorError('Invalid', messages.resourceWithoutVerb());
  }
  const asked = choiceOf('resource', resource, RESOURCES);
  const allowed = request.access.namespaces(asked, choiceOf('verb', verb, VERBS));
  return OF_ALL.has(asked) && allowed !== '*' ? [] : namesOf([allowed]);
}

function namespacesOfAny(access: Access): readonly string[] {
  return namesOf(
    RESOURCES.flatMap((resource) => VERBS.map((verb) => access.namespaces(resource, verb))),
  );
}

function namesOf(sets: readonly (ReadonlySet<string> | '*')[]): readonly string[] {
  if (sets.includes('*')) return ['*'];
  return [...new Set(sets.flatMap((names) => [...names]))].sort();
}
