/** Documentation of what starts runs; their bodies and answers are described with the interface. */
import type { FastifySchema } from 'fastify';

export const createWorkflowSchema: FastifySchema = {
  summary: 'Start a workflow',
  tags: ['receptionist'],
  querystring: {
    type: 'object',
    properties: {
      dryRun: { type: 'boolean' },
      jobs: {
        type: 'string',
        description: 'Names of jobs, separated by commas: only these run, and what they need.',
      },
      namespace: { type: 'string' },
      ping: { type: 'boolean' },
      strict: {
        type: 'boolean',
        description: 'Refuse a workflow that is accepted with warnings otherwise.',
      },
    },
  },
};

export const rerunWorkflowSchema: FastifySchema = {
  summary: 'Run a workflow again',
  description:
    'A new run of the same workflow, with the inputs, variables and files of the earlier one; all of it, unless a parameter says otherwise.',
  tags: ['receptionist'],
  params: {
    type: 'object',
    properties: { workflow_id: { type: 'string', format: 'uuid' } },
  },
  querystring: {
    type: 'object',
    properties: {
      failed: {
        type: 'boolean',
        description: 'Only what failed or did not run; what succeeded is taken over.',
      },
      jobs: {
        type: 'string',
        description: 'Names of jobs, separated by commas: only these run, and what they need.',
      },
    },
  },
};
