/** Documentation of what starts runs. */
import { messages } from '@tutti/manifests';
import type { FastifySchema } from 'fastify';
import type { DescribedOperation } from '../../http/routes.ts';

type Words = Parameters<DescribedOperation>[0];

const LINES = 'NAME=value, one per line; a field or a file.';
const TRACEPARENT = {
  traceparent: 'The trace that the run is part of (W3C Trace Context); other forms are ignored.',
};
const OF_STARTS = ['Conflict', 'Invalid', 'TooManyRequests', 'ServiceUnavailable'] as const;

const jobs = {
  type: 'string',
  description: 'Names of jobs, separated by commas: only these run, and what they need.',
} as const;

function started({ linksTo, record, uuid, IDS }: Words, optional: Parameters<Words['record']>[0]) {
  const operations = {
    status: 'getWorkflowStatus',
    log: 'getWorkflowLog',
    workers: 'listWorkers',
    cancel: 'cancelWorkflow',
  };
  return {
    message: messages.workflowAccepted('nightly', IDS.workflow),
    schema: record({ workflow_id: uuid, ...optional }),
    example: { workflow_id: IDS.workflow },
    links: linksTo(operations, 'workflow_id', 'workflow_id'),
  };
}

function workflowBody({ json, record, refTo, BYTES, EXAMPLES }: Words) {
  const schema = refTo('Workflow');
  const lines = { type: 'string', description: LINES };
  const form = {
    ...record({
      workflow: { type: 'string', description: 'The manifest, JSON or YAML; a field or a file.' },
      'variables?': lines,
      'inputs?': lines,
    }),
    additionalProperties: {
      ...BYTES,
      description: 'A file of `resources.files`; the part is named like the entry.',
    },
  };
  const example = { workflow: EXAMPLES.workflowText, variables: 'STAGE=qa\nRETRIES=2' };
  return {
    ...json(schema, EXAMPLES.workflow),
    'application/x-yaml': { schema, example: EXAMPLES.workflow },
    'multipart/form-data': { schema: form, example },
  };
}

export const createWorkflowSchema: FastifySchema = {
  summary: 'Start a workflow',
  tags: ['receptionist'],
  parameters: {
    branch: { type: 'string', description: 'The branch that the run tests.' },
    dryRun: { type: 'boolean' },
    jobs,
    namespace: { type: 'string' },
    ping: { type: 'boolean' },
    strict: {
      type: 'boolean',
      description: 'Refuse a workflow that is accepted with warnings otherwise.',
    },
    version: {
      type: 'string',
      description:
        'The version that the run tests, as a commit. A test that fails and passes on one version is flaky.',
    },
  },
  operation: (words) => {
    const description =
      'What the workflow does that was probably not meant, with the places; absent if there is nothing. The log of the run has the same lines.';
    const warnings = { ...words.listOf(words.text), description };
    return {
      id: 'startWorkflow',
      headers: TRACEPARENT,
      body: workflowBody(words),
      answers: {
        OK: { message: messages.pong() },
        Created: started(words, { 'warnings?': warnings }),
      },
      failures: OF_STARTS,
    };
  },
};

export const rerunWorkflowSchema: FastifySchema = {
  summary: 'Run a workflow again',
  description:
    'A new run of the same workflow, with the inputs, variables and files of the earlier one; all of it, unless a parameter says otherwise.',
  tags: ['receptionist'],
  parameters: {
    failed: {
      type: 'boolean',
      description: 'Only what failed or did not run; what succeeded is taken over.',
    },
    jobs,
  },
  operation: (words) => ({
    id: 'rerunWorkflow',
    headers: TRACEPARENT,
    answers: { Created: started(words, {}) },
    failures: OF_STARTS,
  }),
};
