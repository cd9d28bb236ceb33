/** Looks up what is known of tests when their results are stored. The event of the results then has it. */
import { hash } from 'node:crypto';
import type { AttachmentId, LoggedEvent, NotificationEvent, TestResult } from '@tutti/manifests';
import {
  functionOf,
  isQuarantined,
  Ledger,
  projectOf,
  testIdOf,
  variantIdOf,
} from '@tutti/test-history';
import { identityOf, outcomeOf, type Redactor, type Run } from '@tutti/workflow';
import { historyEntries } from '@tutti/workflow/facts';
import type { Store } from '../../store/store.ts';
import type { VariantFigures } from '../../store/test-history.ts';
import { originOf, type ReportOrigin } from './projection.ts';

type HistoryStore = Pick<Store, 'variantFigures' | 'knownVariants'>;

/** Flake rates are estimates. */
const RATE_DIGITS = 3;
const sha1 = (bytes: Uint8Array): string => hash('sha1', bytes);

export type ResultsEvent = NotificationEvent & {
  readonly spec: { readonly testResults: readonly TestResult[] };
};

/** The event with an entry for each of its results. The run is the one that has the event. */
export async function withHistories(
  store: HistoryStore,
  event: ResultsEvent,
  run: Run,
  { redactor, nowMs }: { redactor: Pick<Redactor, 'document'>; nowMs: number },
): Promise<LoggedEvent> {
  const { testResults } = event.spec;
  const ids = variantIds(event, run, redactor);
  const wanted = ids.filter((id) => id !== null);
  const known = new Map((await store.variantFigures(wanted)).map((each) => [each.id, each]));
  if (known.size === 0) return event;
  const failed = ids.filter((id, at) => isFailed(testResults[at]) && known.has(id ?? ''));
  const failedBefore = await failedInLastRun(store, run, failed);
  const histories = ids.map((id) => {
    const figures = known.get(id ?? '');
    if (figures === undefined) return null;
    return { ...historyOf(figures, failedBefore), quarantined: isQuarantined(figures, nowMs) };
  });
  return { ...event, spec: { ...event.spec, ...historyEntries(histories) } };
}

function historyOf(
  { id, state, flakeRate, failures, executions }: VariantFigures,
  failedBefore: ReadonlySet<string>,
) {
  return {
    ...{ state, failures, executions },
    flakeRate: Number(flakeRate.toPrecision(RATE_DIGITS)),
    hadFailed: failedBefore.has(id),
  };
}

function isFailed(result: TestResult | undefined): boolean {
  const outcome = result === undefined ? null : outcomeOf(result.status);
  return outcome === 'failure' || outcome === 'error';
}

/** Only new failures need ledgers, which are larger. */
async function failedInLastRun(
  store: HistoryStore,
  { workflowId }: Run,
  ids: readonly (string | null)[],
): Promise<ReadonlySet<string>> {
  const wanted = ids.filter((id) => id !== null);
  if (wanted.length === 0) return new Set();
  const found = await store.knownVariants(workflowId, wanted);
  const failed = found.filter(
    ({ ledger }) => ledger !== null && Ledger.read(ledger)?.hasFailedInLastRun === true,
  );
  return new Set(failed.map(({ id }) => id));
}

/** In the order of the results; null for one of another run. Texts are those that test cases show. */
function variantIds(
  { spec, metadata }: ResultsEvent,
  run: Run,
  redactor: Pick<Redactor, 'document'>,
): readonly (string | null)[] {
  const shown = (text: string): string => redactor.document({ text }).text;
  const labels = new Map(Object.entries(run.labels));
  const project = shown(projectOf({ name: run.name, labels }));
  // The results of one event are nearly always of one report.
  const origins = new Map<AttachmentId | undefined, ReportOrigin | null>();
  const originFor = (id: AttachmentId): ReportOrigin | null => {
    const origin = origins.get(id) ?? originOf(run, id);
    origins.set(id, origin);
    return origin;
  };
  return spec.testResults.map((result) => {
    const id = result.attachment_origin ?? metadata.attachment_origin?.[0];
    const origin = id === undefined ? null : originFor(id);
    if (origin === null) return null;
    const { test } = redactor.document({ test: identityOf(origin, result) });
    const { technology, suiteName: suite, testCaseName: name } = test;
    const parts = { namespace: run.namespace, project, technology, suite, name };
    const variant = { job: shown(origin.jobKey), function: functionOf(test) };
    return variantIdOf(testIdOf(parts, sha1), variant, sha1);
  });
}
