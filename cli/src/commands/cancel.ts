/** `tutti cancel`: stops workflows, by their ids or all that a selector chooses. */
import type { Client } from '@tutti/client';
import { countOf, isOrchestratorError } from '@tutti/manifests';
import { type ConnectionOptions, connect } from '../connection/connection.ts';
import type { SelectorOptions } from '../options/selector-options.ts';
import { createWorkflowReader, idOf } from '../runs/chosen-workflows.ts';
import { checkWays, doWithEach, resolveWorkflowIds } from '../runs/each-workflow.ts';
import { endedStatus, waitForEnd } from '../runs/wait-for-end.ts';
import { confirm } from '../terminal/confirm.ts';
import { EXIT_CODES } from '../terminal/exit-codes.ts';
import type { Io } from '../terminal/io.ts';
import { UsageError } from '../terminal/problem.ts';

export interface CancelOptions extends ConnectionOptions, SelectorOptions {
  readonly all?: boolean;
  readonly reason?: string | undefined;
  readonly source?: string | undefined;
  readonly dryRun?: boolean;
  readonly wait?: boolean;
  /** Milliseconds. */
  readonly timeout?: number | undefined;
  readonly yes?: boolean;
}

/** Resolves with the exit code once the server accepted the requests. A run ends a little later, or has already ended. */
export async function cancelWorkflows(
  texts: readonly string[],
  options: CancelOptions,
  io: Io,
): Promise<number> {
  checkChoice(texts, options);
  const client = await connect(options, io);
  const ids =
    texts.length > 0 ? await resolveWorkflowIds(client, texts) : await choose(client, options, io);
  if (ids.length === 0) {
    io.complain('No workflow that is not over fits: there is nothing to cancel.\n');
    return EXIT_CODES.done;
  }
  const isMeant = texts.length > 0 || ids.length === 1 || options.dryRun === true || options.yes;
  if (!isMeant && !(await confirm(`Cancel ${countOf(ids.length, 'workflow')}?`, io))) {
    io.complain('Nothing was canceled.\n');
    return EXIT_CODES.problem;
  }
  const finished = new Set<string>();
  const ask = async (id: string) => {
    // Selectors choose among runs that go on.
    const isFinished = texts.length > 0 && (await isOver(client, id));
    if (!isFinished) return await cancelOne(client, id, options, io);
    finished.add(id);
    io.screen.write(`Workflow ${id} is finished already. There is nothing to cancel.\n`);
  };
  const asked = await doWithEach(ids, ask, io);
  const open = asked.filter((id) => !finished.has(id));
  const areOver = options.wait !== true || (await allOver(client, open, options.timeout, io));
  if (asked.length < ids.length) return EXIT_CODES.problem;
  return areOver ? EXIT_CODES.done : EXIT_CODES.undecided;
}

function checkChoice(texts: readonly string[], options: CancelOptions): void {
  const { timeout, wait, dryRun } = options;
  checkWays(texts, options, [
    'their ids, by selectors, or by --all',
    'name the ones to cancel by their ids ("tutti workflows" shows them), with -l or --field-selector, or with --all.',
  ]);
  if (wait === true && dryRun === true) {
    throw new UsageError(
      '--wait waits for what is canceled, and --dry-run cancels nothing.',
      'leave one of them out.',
    );
  }
  if (timeout !== undefined && wait !== true) {
    throw new UsageError('--timeout goes with --wait.', 'add --wait, or leave --timeout out.');
  }
}

async function choose(
  client: Client,
  { selector, fieldSelector }: CancelOptions,
  io: Io,
): Promise<readonly string[]> {
  const filters = { selector, fieldSelector, status: ['PENDING', 'RUNNING'] } as const;
  return (await createWorkflowReader(client, filters)(io.now())).map(idOf);
}

/** False also for a token that may cancel a run and not read it. */
async function isOver(client: Client, id: string): Promise<boolean> {
  try {
    return (await endedStatus(client, id)) !== null;
  } catch (error) {
    if (isOrchestratorError(error) && error.reason === 'Forbidden') return false;
    throw error;
  }
}

async function cancelOne(
  client: Client,
  id: string,
  options: CancelOptions,
  io: Io,
): Promise<void> {
  const { reason, source = 'tutti cancel', dryRun = false } = options;
  await client.cancel(id, { reason, source, dryRun });
  io.screen.write(
    dryRun
      ? `Workflow ${id} would be canceled.\n`
      : `The server was asked to cancel workflow ${id}.\n`,
  );
}

/** Waits for all runs at the same time; false if one still goes on at the timeout. */
async function allOver(
  client: Client,
  ids: readonly string[],
  waitMs: number | undefined,
  io: Io,
): Promise<boolean> {
  const ends = await Promise.all(
    ids.map(async (id) => {
      const status = await waitForEnd(client, id, waitMs);
      if (status === null) io.complain(`tutti: Workflow ${id} is not over yet.\n`);
      else io.screen.write(`Workflow ${id} is over: ${status}.\n`);
      return status;
    }),
  );
  return ends.every((status) => status !== null);
}
