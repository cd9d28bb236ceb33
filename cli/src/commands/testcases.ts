/** `tutti testcases`: the test cases of a run, in the form that people or programs want (clients facts 3.7). */
import type { JsonRecord, TestCasePage } from '@tutti/client';
import { type ConnectionOptions, connect } from '../connection/connection.ts';
import { evidenceOfRun } from '../report-folder/run-evidence.ts';
import { complainOf } from '../runs/report-warnings.ts';
import { workflowRef } from '../runs/workflow-ref.ts';
import { EXIT_CODES } from '../terminal/exit-codes.ts';
import type { Io } from '../terminal/io.ts';
import { asArgument } from '../terminal/shell-argument.ts';
import { CLI_VERSION } from '../terminal/version.ts';
import { createTestCaseFormat } from '../test-case-formats/create-format.ts';
import { createNameSearch } from '../test-case-formats/name-search.ts';
import { type Outcome, readTestCase } from '../test-case-formats/shown-test-case.ts';

export interface TestCasesOptions extends ConnectionOptions {
  readonly scope?: string | undefined;
  readonly fieldSelector?: string | undefined;
  readonly outcome?: readonly Outcome[] | undefined;
  /** Milliseconds. */
  readonly timeout: number;
  readonly output: string;
}

/**
 * Lists the test cases of a run, by default of the newest one. With `name`, it shows the test cases of this name in full. Resolves with the
 * exit code.
 */
export async function showTestCases(
  workflowId: string | undefined,
  name: string | undefined,
  options: TestCasesOptions,
  io: Io,
): Promise<number> {
  const { scope, timeout: waitMs, output } = options;
  const client = await connect(options, io);
  const otherwise = workflowId === undefined ? undefined : byName(workflowId);
  const id = await workflowRef(
    client,
    workflowId,
    { what: 'to show test cases of', otherwise },
    io,
  );
  const isDetail = name !== undefined && (output === 'table' || output === 'wide');
  const evidence = isDetail ? evidenceOfRun(client, id) : null;
  const format = await createTestCaseFormat(output, {
    workflowId: id,
    version: CLI_VERSION,
    isOne: name !== undefined,
    showsFailures: hasOnlyFailures(options),
    paint: io.screen.paint,
    command: io.command,
    evidence: evidence?.find,
  });
  const named = name === undefined ? null : createNameSearch(name);
  let last: TestCasePage | null = null;
  let count = 0;
  const query = { scope, fieldSelector: selectorOf(options), waitMs };
  for await (const page of client.testCasePages(id, query)) {
    const items = named === null ? page.items : page.items.filter(named.isMeant);
    // An unknown name is refused without a document.
    const isBegin = named === null ? last === null : count === 0 && items.length > 0;
    if (isBegin) io.screen.write(format.begin(page));
    if (evidence !== null) for (const item of items) await evidence.load(jobNameOf(item));
    io.screen.write(format.items(items));
    await io.drained();
    last = page;
    count += items.length;
  }
  if (last === null) throw new Error('There is no page of test cases.');
  if (count === 0 && named !== null) throw named.unknown(id);
  io.screen.write(format.end(last));
  if (count === 0) io.complain(format.emptyText?.(last) ?? '');
  complainOf(last.warnings, io);
  return codeOf(last.status, io);
}

const jobNameOf = (item: JsonRecord): string => readTestCase(item).test.job;

/** Failed test cases need their messages; a list with others stays a table. */
const hasOnlyFailures = ({ outcome = [] }: TestCasesOptions): boolean =>
  outcome.length > 0 && outcome.every((each) => each === 'failure' || each === 'error');

/** A star in the given name means any text. */
function byName(text: string): string {
  const part = text.replaceAll('*', '').replaceAll("'", "''");
  const scope = `contains(test.testCaseName, '${part}')`;
  return `to choose test cases by their names, write: tutti testcases --scope ${asArgument(scope)}`;
}

/** Joins both conditions with "and". */
function selectorOf({ fieldSelector, outcome }: TestCasesOptions): string | undefined {
  const ofOutcome = outcome === undefined ? [] : [`test.outcome in (${outcome.join(',')})`];
  const parts = [...(fieldSelector === undefined ? [] : [fieldSelector]), ...ofOutcome];
  return parts.length === 0 ? undefined : parts.join(',');
}

/** Printed on standard error, since programs read standard output. */
function codeOf(status: TestCasePage['status'], io: Io): number {
  switch (status) {
    case 'COMPLETE':
      return EXIT_CODES.done;
    case 'INTERRUPTED':
      io.complain('tutti: The run failed or was canceled: some of its tests may not have run.\n');
      return EXIT_CODES.done;
    case 'ONGOING':
    case null:
      io.complain(
        'tutti: The test cases are not all there: the run goes on, or its reports are still being read.\n',
      );
      return EXIT_CODES.undecided;
  }
}
