/** `POST` and `DELETE /tests/{test_id}/quarantine`: begins and ends the quarantine of a test. */
import { formatTimestamp, OrchestratorError, parseTimestamp, status } from '@tutti/manifests';
import { type QuarantineRules, quarantineProblem, roomIn } from '@tutti/test-history';
import type { FastifyReply } from 'fastify';
import { queryText } from '../../../http/query.ts';
import { sendStatus } from '../../../http/reply.ts';
import { createValidator } from '../../../http/validate.ts';
import type { Clock } from '../../../runtime/clock.ts';
import type { Store } from '../../../store/store.ts';
import type { JournalRow, ListedTest, StoredTestState } from '../../../store/test-history.ts';
import type { HistoryStore } from './history-store.ts';
import type { QuarantineRecord } from './quarantine-items.ts';
import {
  CREATE_TESTS,
  DELETE_TESTS,
  QUARANTINED_MESSAGE,
  quarantineSchema,
  RELEASED_MESSAGE,
} from './quarantine-words.ts';
import { idIn, queryVariant, testInPath } from './test-in-path.ts';
import { suiteAndName } from './test-items.ts';
import type { TestPath } from './words.ts';

export interface QuarantineDeps {
  readonly store: HistoryStore & Pick<Store, 'write'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly rules: QuarantineRules & { readonly days: number };
}

const DAY_MS = 86_400_000;
/** Changes that are released together: those of a test and of all its variants. */
const RELEASED_MAX = 1_000;

const validator = createValidator(quarantineSchema);

/** A request decides by what is in quarantine. So requests take turns in this process. */
let last: Promise<unknown> = Promise.resolve();
function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
  const done = last.then(work);
  last = done.catch(() => undefined);
  return done;
}

export async function quarantineTest(
  deps: QuarantineDeps,
  reply: FastifyReply<TestPath>,
): Promise<FastifyReply> {
  const { request } = reply;
  const asked = validator.parse(request.body, 'Not a valid quarantine.');
  return await inTurn(async () => {
    const test = await testInPath(deps.store, request, CREATE_TESTS);
    const nowMs = deps.clock.now();
    const untilMs = endOf(asked.until ?? null, nowMs, deps.rules);
    const variant = idIn('"variant"', asked.variant ?? null);
    const state = await stateOf(deps.store, test, variant);
    const counts = await countsOf(deps.store, test, nowMs);
    const { reason, force: isForced = false } = asked;
    const wanted = { reason, fromMs: nowMs, untilMs, state, isForced, ...counts };
    refuse(quarantineProblem(wanted, deps.rules), deps.rules, counts.tests);
    const record: QuarantineRecord = {
      by: request.access.subject,
      reason: reason.trim(),
      link: asked.link ?? null,
      until: formatTimestamp(untilMs),
    };
    const entry = entryOf(test, { kind: 'quarantined', atMs: nowMs, variantId: variant }, record);
    await deps.store.write({ testHistory: { journal: [{ ...entry, untilMs }] } });
    request.audited = { namespace: test.namespace };
    const details = { test_id: test.id, variant_id: variant, ...record };
    return sendStatus(reply, status('Created', QUARANTINED_MESSAGE(suiteAndName(test)), details));
  });
}

export async function releaseTest(
  { store, clock }: QuarantineDeps,
  reply: FastifyReply<TestPath>,
): Promise<FastifyReply> {
  const { request } = reply;
  const variant = queryVariant(request);
  return await inTurn(async () => {
    const test = await testInPath(store, request, DELETE_TESTS);
    const nowMs = clock.now();
    const conditions = { testId: test.id, inForceMs: nowMs, offset: 0, limit: RELEASED_MAX };
    const held = (await store.testJournal(conditions)).filter(
      (each) => variant === null || each.variantId === variant,
    );
    if (held.length === 0) {
      throw new OrchestratorError('NotFound', `${suiteAndName(test)} is not in quarantine.`);
    }
    const record = { by: request.access.subject, reason: queryText(request, 'reason') };
    const journal = held.map(({ variantId: id }) => ({
      ...entryOf(test, { kind: 'released', atMs: nowMs, variantId: id }, record),
      untilMs: null,
    }));
    await store.write({ testHistory: { journal } });
    request.audited = { namespace: test.namespace };
    return sendStatus(reply, status('OK', RELEASED_MESSAGE(suiteAndName(test))));
  });
}

const entryOf = (
  { id }: ListedTest,
  entry: Pick<JournalRow, 'kind' | 'atMs' | 'variantId'>,
  record: object,
): JournalRow => ({ ...entry, testId: id, json: JSON.stringify(record) });

function endOf(text: string | null, nowMs: number, { days, daysMax }: QuarantineDeps['rules']) {
  if (text === null) return nowMs + Math.min(days, daysMax) * DAY_MS;
  const untilMs = parseTimestamp(text);
  if (untilMs !== null) return untilMs;
  throw invalid(`"until" must be a time such as 2026-01-31T12:00:00Z, not "${text}".`);
}

/** The state of a variant, else the worst of all. */
async function stateOf(
  store: HistoryStore,
  test: ListedTest,
  variant: string | null,
): Promise<StoredTestState> {
  if (variant === null) return test.state;
  const [found] = await store.testVariants({ testId: test.id, variantId: variant, limit: 1 });
  if (found !== undefined) return found.state;
  throw new OrchestratorError('NotFound', `Test ${test.id} has no variant ${variant}.`);
}

/** The test itself has its place already if it is in quarantine. */
async function countsOf(store: HistoryStore, test: ListedTest, nowMs: number) {
  const project = { namespaces: [test.namespace], project: test.project };
  const held = await store.countJournal({ ...project, inForceMs: nowMs });
  const own = test.untilMs !== null && test.untilMs > nowMs ? 1 : 0;
  return { tests: await store.countTests(project), quarantined: held.tests - own };
}

const invalid = (message: string) => new OrchestratorError('Invalid', message);

function refuse(
  problem: ReturnType<typeof quarantineProblem>,
  rules: QuarantineRules,
  tests: number,
): void {
  switch (problem) {
    case null:
      return;
    case 'no reason':
      throw invalid('A quarantine needs a reason.');
    case 'no end':
      throw invalid('A quarantine must end in the future.');
    case 'too long':
      throw invalid(`A quarantine may last ${rules.daysMax} days at most (quarantine.daysMax).`);
    case 'broken':
      throw new OrchestratorError(
        'Conflict',
        'The test is broken: it fails each time. Repair it. With "force", its quarantine begins, and spares it once it is not broken any more.',
      );
    case 'share reached':
      throw new OrchestratorError(
        'Conflict',
        `${roomIn(tests, rules)} of the ${tests} tests of the project are in quarantine, and no more may be (quarantine.share). Release another test first.`,
      );
  }
}
