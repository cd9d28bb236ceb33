/** Description of quality gates and reports (specification 4.9 and 4.10). */
import { insightsSchema, messages, qualityGatesSchema } from '@tutti/manifests';
import { IDS } from './openapi-examples.ts';
import { BYTES, type Content, type Operation, statusAnswer } from './openapi-parts.ts';
import { listOf, mapOf, record, type Schema, text, uuid } from './openapi-schemas.ts';

const count = { type: 'integer', minimum: 0 } as const;
const percentage = { type: 'string', pattern: '^\\d{1,3}(\\.\\d{1,2})?%$' } as const;

/** Specification 2.9. */
const ruleResult: Schema = record(
  {
    result: { type: 'string', enum: ['SUCCESS', 'NOTEST', 'FAILURE', 'INVALID_SCOPE'] },
    scope: text,
    success_ratio: percentage,
    tests_failed: count,
    tests_in_scope: count,
    tests_passed: count,
    threshold: percentage,
  },
  { message: { ...text, description: 'Why the scope is invalid.' } },
);

const GATE_STATUS = {
  schema: record(
    { status: { type: 'string', enum: ['SUCCESS', 'NOTEST', 'FAILURE', 'RUNNING'] } },
    {
      rules: { ...mapOf(ruleResult), description: 'By name; absent while the run goes on.' },
      taken_over: {
        ...listOf(
          record(
            {
              workflow_id: uuid,
              jobs: listOf(text),
              job_ids: {
                ...listOf(uuid),
                description: 'Of these jobs and those in them, as their test cases name them.',
              },
            },
            {
              lost: {
                type: 'boolean',
                description:
                  'That workflow has left, so that nobody knows the test cases: the status is FAILURE.',
              },
            },
          ),
        ),
        description:
          'With takenOver: the jobs of earlier workflows whose test cases were judged, too; absent if there are none.',
      },
      warnings: {
        ...listOf(text),
        description:
          'What is to be known of the definitions, test cases that are lost, and reports of which some may be missing; absent if there is nothing.',
      },
    },
  ),
  example: {
    status: 'FAILURE',
    rules: {
      strict: {
        result: 'FAILURE',
        scope: 'true',
        success_ratio: '90%',
        tests_failed: 1,
        tests_in_scope: 10,
        tests_passed: 9,
        threshold: '100%',
      },
    },
  },
};

const judged = {
  answers: {
    OK: statusAnswer('OK', { message: '', details: GATE_STATUS }),
    Accepted: statusAnswer('Accepted', {
      message: messages.testResultsIncomplete(),
      details: { schema: { type: 'object' }, example: {} },
    }),
  },
  failures: ['NotFound', 'Invalid'],
} as const satisfies Partial<Operation>;

/** A definition as the body, or as one part of a form. */
function definitionBody(part: string, schema: Schema, example: object, yaml: string): Content {
  const form = {
    type: 'object',
    properties: { [part]: { ...BYTES, description: 'The definition, JSON or YAML.' } },
    required: [part],
  };
  return {
    'application/json': { schema, example },
    'application/x-yaml': { schema, example },
    'multipart/form-data': { schema: form, example: { [part]: yaml } },
  };
}

const gates = {
  qualitygates: [{ name: 'release', rules: [{ name: 'all', rule: { threshold: '95%' } }] }],
};
const gatesText =
  'qualitygates:\n- name: release\n  rules:\n  - name: all\n    rule:\n      threshold: 95%\n';
const insights = { insights: [{ name: 'log', kind: 'ExecutionLog' }] };
const insightsText = 'insights:\n- name: log\n  kind: ExecutionLog\n';

export const REPORT_OPERATIONS: Readonly<Record<string, Operation>> = {
  'GET /workflows/{workflow_id}/qualitygate': { id: 'getQualityGate', ...judged },
  'POST /workflows/{workflow_id}/qualitygate': {
    id: 'judgeByQualityGate',
    body: definitionBody('qualitygates', qualityGatesSchema, gates, gatesText),
    ...judged,
  },
  'POST /workflows/{workflow_id}/insights': {
    id: 'generateInsights',
    body: definitionBody('insights', insightsSchema, insights, insightsText),
    answers: {
      OK: statusAnswer('OK', {
        message: messages.insightsExpected(1),
        details: {
          schema: record(
            { request_id: uuid, expected: listOf({ type: 'array', items: text }) },
            { warnings: listOf(text) },
          ),
          example: { request_id: IDS.file, expected: [['log', 'ExecutionLog']] },
        },
      }),
    },
    failures: ['NotFound', 'Invalid', 'TooManyRequests'],
  },
};
