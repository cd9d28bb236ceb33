/** Parameters and documentation of the routes about quarantine. */
import type { DescribedOperation } from '../../../http/routes.ts';
import { TEST_STATES } from '../../../store/test-history.ts';
import { NAMED, QUARANTINED, quarantineSchemas, RECORD } from './change-words.ts';
import { LIST_PARAMETERS, ONE_PARAMETERS } from './words.ts';

export const CREATE_TESTS = { resource: 'tests', verb: 'create' } as const;
export const DELETE_TESTS = { resource: 'tests', verb: 'delete' } as const;

export const QUARANTINE_MESSAGE = 'Quarantine';
export const JOURNAL_MESSAGE = 'Journal of tests';
export const QUARANTINED_MESSAGE = (test: string): string => `${test} is in quarantine.`;
export const RELEASED_MESSAGE = (test: string): string => `${test} is in no quarantine any more.`;

export const CHANGES = ['state', 'quarantined', 'released', 'recovered'] as const;

/** Not `\p{Cc}`: few readers of the description know it. */
const CONTROL = '\\u0000-\\u001f\\u007f-\\u009f';
const text = { type: 'string' } as const;

export const quarantineSchema = {
  type: 'object',
  properties: {
    reason: {
      ...{ ...text, minLength: 1, maxLength: 1_000, pattern: `^[^${CONTROL}]*$` },
      description: 'Why its failures do not count.',
    },
    until: {
      ...{ ...text, maxLength: 64, format: 'date-time' },
      description: 'Its end; by default in `quarantine.days`.',
    },
    variant: { ...text, maxLength: 64, format: 'uuid', description: 'Only this variant.' },
    link: {
      ...{ ...text, maxLength: 2_000, pattern: `^https?://[^\\s${CONTROL}]+$` },
      description: 'Where somebody works on it.',
    },
    force: { type: 'boolean', description: 'Also if the test is broken.' },
  },
  required: ['reason'],
  additionalProperties: false,
} as const;

const { namespace, project, page, per_page } = LIST_PARAMETERS;
const place = { namespace, project } as const;
const pages = { page, per_page } as const;

export const QUARANTINE_PARAMETERS = { ...place, ...pages } as const;
export const RELEASE_PARAMETERS = {
  ...ONE_PARAMETERS,
  reason: { ...text, description: 'Kept in the journal.' },
} as const;
export const JOURNAL_PARAMETERS = {
  ...place,
  test: { ...text, format: 'uuid', description: 'Only this test.' },
  kind: { ...text, enum: CHANGES },
  since: { ...text, format: 'date-time', description: 'The earliest time of entries.' },
  ...pages,
} as const;

export const quarantineOperation: DescribedOperation = (words) => {
  const { said } = quarantineSchemas(words);
  const { json, orNull, record, uuid } = words;
  const { reason, until } = RECORD;
  return {
    id: 'quarantineTest',
    description:
      'A test in quarantine runs, and its failures do not count. It replaces an earlier quarantine of the same test, or of the same variant. A quarantine ends at its time, when somebody releases the test, or when the test recovers. The failures of a broken test count, whatever was agreed.',
    body: json(quarantineSchema, { reason, until }),
    answers: {
      Created: {
        message: QUARANTINED_MESSAGE('cart#adds'),
        schema: record({ test_id: uuid, variant_id: orNull(uuid), ...said }),
        example: { test_id: NAMED.test_id, variant_id: null, ...RECORD },
      },
    },
    failures: ['Invalid', 'Conflict'],
  };
};

export const releaseOperation: DescribedOperation = () => ({
  id: 'releaseTest',
  description:
    'Without `variant`, it ends the quarantine of the test, and those of its variants. A test without quarantine is not found.',
  answers: { OK: { message: RELEASED_MESSAGE('cart#adds') } },
});

export const quarantineListOperation: DescribedOperation = (words) => {
  const { named, quarantined } = quarantineSchemas(words);
  const { count, listOf, oneOf, record, PAGE_LINKS } = words;
  const item = record({ ...named, state: oneOf(...TEST_STATES), ...quarantined });
  return {
    id: 'listQuarantine',
    description: 'Quarantines in force, the newest first.',
    answers: {
      OK: {
        message: QUARANTINE_MESSAGE,
        schema: record({ items: listOf(item), total: count }),
        example: { items: [{ ...NAMED, state: 'flaky', ...QUARANTINED }], total: 1 },
        headers: PAGE_LINKS,
      },
    },
  };
};

export const journalOperation: DescribedOperation = (words) => {
  const { named, change } = quarantineSchemas(words);
  const { count, listOf, record, PAGE_LINKS } = words;
  const entry = { at: QUARANTINED.from, kind: 'quarantined', variant_id: null, change: RECORD };
  return {
    id: 'listTestJournal',
    description:
      'Changes of states and of quarantine, the newest first. A thousand of each test are kept.',
    answers: {
      OK: {
        message: JOURNAL_MESSAGE,
        schema: record({ items: listOf(record({ ...named, ...change })), total: count }),
        example: { items: [{ ...NAMED, ...entry }], total: 1 },
        headers: PAGE_LINKS,
      },
    },
  };
};
