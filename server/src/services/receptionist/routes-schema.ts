/** Documentation of `POST /workflows`; its bodies and answers are described with the interface. */
import type { FastifySchema } from 'fastify';

export const createWorkflowSchema: FastifySchema = {
  summary: 'Start a workflow',
  tags: ['receptionist'],
  querystring: {
    type: 'object',
    properties: {
      dryRun: { type: 'boolean' },
      namespace: { type: 'string' },
      ping: { type: 'boolean' },
    },
  },
};
