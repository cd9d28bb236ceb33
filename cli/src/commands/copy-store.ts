/** `tutti store copy`: moves the data of a stopped server into a database. */
import { countOf } from '@tutti/manifests';
import type { MoveReport } from '@tutti/server';
import { dataDirOf, stoppable } from '../connection/data-directory.ts';
import { asCalled } from '../terminal/command-name.ts';
import { EXIT_CODES } from '../terminal/exit-codes.ts';
import type { Io } from '../terminal/io.ts';

export interface CopyStoreOptions {
  readonly from?: string;
  readonly to: string;
  readonly blobs?: string;
}

/** Resolves with the exit code. */
export async function copyStoreOf(options: CopyStoreOptions, io: Io): Promise<number> {
  const { loadRecovery } = await import('@tutti/server');
  const { copyStore } = await loadRecovery();
  const { to, blobs = null } = options;
  const dataDir = dataDirOf({ dataDir: options.from }, io);
  const onCopied = (kind: string, count: number) =>
    io.screen.write(`Copied and compared: ${count} ${WORDS[kind] ?? kind}\n`);
  return await stoppable(io, async (signal) => {
    const report = await copyStore({ dataDir, to, blobs, signal, onCopied });
    io.screen.write(reportText(report, dataDir));
    const places = [`--store '${to}'`, ...(blobs === null ? [] : [`--blobs '${blobs}'`])];
    const start = asCalled(`tutti server --data-dir ${dataDir} ${places.join(' ')}`, io.command);
    io.screen.write(`To start the server: ${start}\n`);
    return EXIT_CODES.done;
  });
}

/** Contents of tables, in words of users. */
const WORDS: Readonly<Record<string, string>> = {
  log_parts: 'parts of logs',
  log_marks: 'places in logs',
  broken_reports: 'broken reports',
  test_cases: 'test cases',
  test_case_history: 'earlier executions in the same run',
  test_case_counts: 'counts of test cases',
  test_runs: 'runs with a history of test cases',
  test_executions: 'executions for later runs',
  tested_runs: 'runs in the history of tests',
  test_variants: 'variants of tests',
  test_ledgers: 'ledgers of tests',
  execution_parts: 'executions of tests, in parts',
  test_journal: 'changes of tests',
  causes: 'causes of failures',
  cause_keys: 'keys of causes',
  cause_variants: 'variants with a cause',
  cause_runs: 'runs with a cause',
  shared_bodies: 'publications for several inboxes',
  outbox: 'deliveries that wait',
};

function reportText({ address, runs, wasThere, aside }: MoveReport, dataDir: string): string {
  const moved = wasThere
    ? `${address} had the ${countOf(runs, 'run')} of ${dataDir} already.`
    : `Moved: ${countOf(runs, 'run')} of ${dataDir}, to ${address}`;
  return [moved, ...aside.map((path) => `What was there before: ${path}`)]
    .map((line) => `${line}\n`)
    .join('');
}
