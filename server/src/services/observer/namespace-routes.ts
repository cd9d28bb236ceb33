/** `GET /namespaces` (specification 4.5): where the bearer of a token may do what. */
import { messages, OrchestratorError, status } from '@tutti/manifests';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type Access, RESOURCES, VERBS } from '../../auth/access.ts';
import { choiceOf, queryText } from '../../http/query.ts';
import { sendStatus } from '../../http/reply.ts';

/** The specification knows no listing by the right to publish; without a resource, that right counts like every other. */
const ASKED_RESOURCES = RESOURCES.filter((resource) => resource !== 'publications');

export function namespaceRoutes(app: FastifyInstance): void {
  app.get(
    '/namespaces',
    {
      schema: {
        summary: 'Namespaces in which an operation, or any operation, is allowed',
        tags: ['observer'],
        querystring: {
          type: 'object',
          properties: {
            resource: { type: 'string', enum: ASKED_RESOURCES },
            verb: { type: 'string', enum: VERBS },
          },
        },
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
  const asked = choiceOf('resource', resource, ASKED_RESOURCES);
  return namesOf([request.access.namespaces(asked, choiceOf('verb', verb, VERBS))]);
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
