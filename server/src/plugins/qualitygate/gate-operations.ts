/** Documentation of the routes of quality gates. */
import { messages, qualityGatesSchema } from '@tutti/manifests';
import type { DescribedOperation } from '../../http/routes.ts';

type Words = Parameters<DescribedOperation>[0];

const STRICT_FAILED = {
  result: 'FAILURE',
  scope: 'true',
  success_ratio: '90%',
  tests_failed: 1,
  tests_in_scope: 10,
  tests_passed: 9,
  threshold: '100%',
} as const;
const PERCENTAGE = { type: 'string', pattern: '^\\d{1,3}(\\.\\d{1,2})?%$' } as const;

/** Specification 2.9. */
function ruleResults({ count, mapOf, oneOf, record, text }: Words) {
  const result = record({
    result: oneOf('SUCCESS', 'NOTEST', 'FAILURE', 'INVALID_SCOPE'),
    scope: text,
    success_ratio: PERCENTAGE,
    tests_failed: count,
    tests_in_scope: count,
    tests_passed: count,
    threshold: PERCENTAGE,
    'tests_quarantined?': {
      ...count,
      description: 'Failures that do not count, as their tests are in quarantine. They are passed.',
    },
    'message?': {
      ...text,
      description:
        'Why the scope is invalid, which limit is exceeded, or that it passes only because of quarantine.',
    },
  });
  return { ...mapOf(result), description: 'By name; absent while the run goes on.' };
}

function takenOver({ listOf, record, text, uuid }: Words) {
  const lost =
    'That workflow has left, so that nobody knows the test cases: the status is FAILURE.';
  const jobIds = 'Of these jobs and those in them, as their test cases name them.';
  const earlier = record({
    workflow_id: uuid,
    jobs: listOf(text),
    job_ids: { ...listOf(uuid), description: jobIds },
    'lost?': { type: 'boolean', description: lost },
  });
  const description =
    'With takenOver: the jobs of earlier workflows whose test cases were judged, too; absent if there are none.';
  return { ...listOf(earlier), description };
}

function judged(words: Words) {
  const { anything, oneOf, record, texts } = words;
  const warnings =
    'What is to be known of the definitions, test cases that are lost, and reports of which some may be missing; absent if there is nothing.';
  const schema = record({
    status: oneOf('SUCCESS', 'NOTEST', 'FAILURE', 'RUNNING'),
    'rules?': ruleResults(words),
    'quarantined?': {
      ...words.count,
      description: 'Failures of tests in quarantine, which no rule counts; absent without any.',
    },
    'taken_over?': takenOver(words),
    'warnings?': { ...texts, description: warnings },
  });
  const example = { status: 'FAILURE', rules: { strict: STRICT_FAILED } };
  const early = messages.testResultsIncomplete();
  return {
    OK: { message: '', schema, example },
    Accepted: { message: early, schema: anything, example: {} },
  };
}

export const listGates: DescribedOperation = ({ listing, listOf, record, text }) => ({
  id: 'listQualityGates',
  answers: listing('Quality gates', listOf(record({ name: text })), [{ name: 'strict' }]),
});

export const judge: DescribedOperation = (words) => ({
  id: 'getQualityGate',
  answers: judged(words),
});

export const judgeByPosted: DescribedOperation = (words) => {
  const rules = [{ name: 'all', rule: { threshold: '95%' } }];
  const example = { qualitygates: [{ name: 'release', rules }] };
  const yaml =
    'qualitygates:\n- name: release\n  rules:\n  - name: all\n    rule:\n      threshold: 95%\n';
  return {
    id: 'judgeByQualityGate',
    required: ['mode'],
    body: words.definitionBody('qualitygates', qualityGatesSchema, example, yaml),
    answers: judged(words),
  };
};
