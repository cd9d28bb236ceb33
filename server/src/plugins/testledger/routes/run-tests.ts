/** `GET /workflows/{workflow_id}/tests`: the tests behind some test cases of a run, with what became of them before. */
import { isUuid, OrchestratorError, status, type WorkflowId } from '@tutti/manifests';
import { Ledger } from '@tutti/test-history';
import type { TestCaseManifest } from '@tutti/workflow';
import type { FastifyReply } from 'fastify';
import type { RunDirectory } from '../../../bus/bus.ts';
import { enterReading } from '../../../http/answer-memory.ts';
import { queryText } from '../../../http/query.ts';
import { sendStatus } from '../../../http/reply.ts';
import { type RunPath, runInPath } from '../../../http/run-in-path.ts';
import { Turns } from '../../../runtime/turns.ts';
import type { Store } from '../../../store/store.ts';
import { caseOf } from '../fold-run.ts';
import { HISTORY_LIMITS } from '../limits.ts';
import { knownRun } from '../run-facts.ts';
import { LIST_TESTS, RUN_TESTS_MESSAGE } from './words.ts';

export interface RunTestsDeps {
  readonly store: Pick<Store, 'workflow' | 'testCaseManifests' | 'knownVariants' | 'document'>;
  readonly runs: Pick<RunDirectory, 'find'>;
}

export async function listTestsOfRun(
  deps: RunTestsDeps,
  reply: FastifyReply<RunPath>,
): Promise<FastifyReply> {
  const { request } = reply;
  const row = await runInPath(deps.store, request, LIST_TESTS);
  const wanted = wantedCases(queryText(request, 'testcase'));
  await enterReading(request, reply);
  const run = await deps.runs.find(row.workflowId);
  if (run === null) throw new Error('A stored run has no events.');
  // Whether its branch counts does not matter for the identity of its tests.
  const known = await knownRun(deps, { run, row, mainBranches: [] });
  const manifests = await manifestsOf(deps.store, row.workflowId, wanted);
  const cases = manifests.map((manifest) => {
    const json = JSON.stringify(manifest);
    const stored = {
      jobId: manifest.metadata.job_id,
      json,
      history: [],
      executions: 1,
      counting: 1,
    };
    return { id: manifest.metadata.id, ...caseOf(stored, known) };
  });
  const ids = cases.map(({ variant }) => variant.id);
  const variants = await deps.store.knownVariants(row.workflowId, ids);
  const ledgers = new Map(variants.map(({ id, ledger }) => [id, ledger]));
  const items = cases.map(({ id, test, variant }) => ({
    testcase_id: id,
    test_id: ledgers.has(variant.id) ? test.id : null,
    ...outcomesIn(ledgers.get(variant.id) ?? null),
  }));
  return sendStatus(reply, status('OK', RUN_TESTS_MESSAGE, { items }));
}

/** Without a ledger that can be read, no run counts for its state. */
function outcomesIn(bytes: Uint8Array | null) {
  const ledger = bytes === null ? null : Ledger.read(bytes);
  return { state: ledger?.state ?? null, strip: ledger?.letters ?? '' };
}

/** Throws `Invalid` for text that is no id, and for too many. */
function wantedCases(text: string | null): ReadonlySet<string> {
  const ids = new Set((text ?? '').split(',').filter((id) => id !== ''));
  const strange = [...ids].find((id) => !isUuid(id));
  if (strange !== undefined) {
    throw new OrchestratorError(
      'Invalid',
      `Parameter "testcase" must have UUIDs, not "${strange}".`,
    );
  }
  const { askedCases } = HISTORY_LIMITS;
  if (ids.size <= askedCases) return ids;
  throw new OrchestratorError(
    'Invalid',
    `Parameter "testcase" has ${ids.size} ids. It may have ${askedCases}.`,
  );
}

/** Wanted test cases in the order of the run, which is read until all are found. */
async function manifestsOf(
  store: RunTestsDeps['store'],
  workflowId: WorkflowId,
  wanted: ReadonlySet<string>,
): Promise<readonly TestCaseManifest[]> {
  const found: TestCaseManifest[] = [];
  const turns = new Turns();
  for (let offset = 0; found.length < wanted.size; ) {
    const texts = await store.testCaseManifests(workflowId, offset, HISTORY_LIMITS.pageCases);
    if (texts.length === 0) break;
    offset += texts.length;
    for (const text of texts) {
      const manifest: TestCaseManifest = JSON.parse(text);
      if (wanted.has(manifest.metadata.id)) found.push(manifest);
    }
    if (turns.isOver) await turns.next();
  }
  return found;
}
