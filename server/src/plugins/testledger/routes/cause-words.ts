/** Parameters and documentation of the routes about causes. */
import type { RouteGenericInterface } from 'fastify';
import type { DescribedOperation } from '../../../http/routes.ts';

export interface CausePath extends RouteGenericInterface {
  Params: { cause_id: string };
}

export const CAUSES_MESSAGE = 'Causes';

const text = { type: 'string' } as const;

export const CAUSE_LIST_PARAMETERS = {
  namespace: text,
  project: { ...text, description: 'The label `tutti/project` of workflows, else their name.' },
  search: { ...text, description: 'A part of the title, in either case.' },
  since: { ...text, format: 'date-time', description: 'Causes of runs that began then or later.' },
  test: { ...text, format: 'uuid', description: 'Causes of this test.' },
  page: { type: 'integer', minimum: 1 },
  per_page: { type: 'integer', minimum: 1 },
} as const;

type Words = Parameters<DescribedOperation>[0];

function schemasOf({ count, listOf, only, orNull, record, uuid }: Words) {
  const seen = record({ workflow_id: orNull(uuid), version: orNull(text), at: text });
  const parts = {
    kind: only('Cause'),
    metadata: record({
      ...{ id: uuid, namespace: text, project: text, name: text },
      firstSeen: orNull(text),
      lastSeen: text,
    }),
  };
  const figures = { failures: count, since: seen, last: seen };
  const failingTest = record({
    ...{ test_id: uuid, variant_id: uuid, suite: text, name: text, job: text },
    ...{ uses: orNull(text), failures: count },
  });
  const failedRun = record({
    ...{ workflow_id: uuid, version: orNull(text), branch: orNull(text), at: text },
    ...{ agent: orNull(text), tags: listOf(text), failures: count },
  });
  const version = record({ version: orNull(text), failures: count });
  const environment = record({ agent: orNull(text), tags: listOf(text), failures: count });
  return {
    listed: record({ ...parts, status: record(figures) }),
    cause: record({
      ...parts,
      status: record({
        ...figures,
        sample: text,
        tests: listOf(failingTest),
        runs: listOf(failedRun),
        versions: listOf(version),
        environments: listOf(environment),
      }),
    }),
  };
}

const SEEN = { version: '4f1c2d9', at: '2026-01-30T12:00:00.000000' };
const PLACE = { agent: 'build-7', tags: ['linux'] };

function exampleOf({ IDS }: Words) {
  const seen = { workflow_id: IDS.workflow, ...SEEN };
  return {
    kind: 'Cause',
    metadata: {
      id: '3a0f7c52-9d1e-5b64-8c27-5e1f0b9d4a31',
      namespace: 'default',
      project: 'shop',
      name: 'no order <number>',
      firstSeen: '2026-01-01T12:00:00.000000',
      lastSeen: SEEN.at,
    },
    status: { failures: 5, since: seen, last: seen },
  };
}

export const causesOperation: DescribedOperation = (words) => {
  const { count, listOf, record, PAGE_LINKS } = words;
  const schema = record({ items: listOf(schemasOf(words).listed), total: count });
  const example = { items: [exampleOf(words)], total: 1 };
  return {
    id: 'listCauses',
    description:
      'Failures that look alike have one cause, in all runs that are over. Those that failed last come first. A cause that nobody saw for 30 days is new again when it comes back: `since` has the run.',
    answers: { OK: { message: CAUSES_MESSAGE, schema, example, headers: PAGE_LINKS } },
  };
};

export const causeOperation: DescribedOperation = (words) => {
  const { status, ...rest } = exampleOf(words);
  const ran = { workflow_id: words.IDS.workflow, ...SEEN, branch: 'main', ...PLACE, failures: 5 };
  const failing = {
    test_id: '0b1c4a6e-7d0f-5a53-9a1e-3f6f1f2f9a10',
    variant_id: '5e0c61a4-2f6b-5d3c-8b52-1d9b1a7a6c20',
    ...{ suite: 'cart', name: 'adds', job: 'unit', uses: 'junit/execute', failures: 5 },
  };
  const example = {
    ...rest,
    status: {
      ...status,
      sample: 'Error: no order 17\n    at open (/shop/open.ts:1:1)',
      tests: [failing],
      runs: [ran],
      versions: [{ version: SEEN.version, failures: 5 }],
      environments: [{ ...PLACE, failures: 5 }],
    },
  };
  return {
    id: 'getCause',
    description:
      'The tests with the most failures come first, and the newest runs. Up to 200 of each are kept. `versions` and `environments` are those of the kept runs.',
    answers: {
      OK: { message: 'no order <number>', schema: schemasOf(words).cause, example },
    },
  };
};
