/** `tutti workflows delete`: removes finished workflows with all stored data. */
import type { Client } from '@tutti/client';
import { countOf } from '@tutti/manifests';
import { type ConnectionOptions, connect } from '../connection/connection.ts';
import type { SelectorOptions } from '../options/selector-options.ts';
import { createWorkflowReader, idOf } from '../runs/chosen-workflows.ts';
import { checkWays, doWithEach, resolveWorkflowIds } from '../runs/each-workflow.ts';
import { confirm } from '../terminal/confirm.ts';
import { EXIT_CODES } from '../terminal/exit-codes.ts';
import type { Io } from '../terminal/io.ts';

export interface DeleteOptions extends ConnectionOptions, SelectorOptions {
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

/** Resolves with the exit code. */
export async function deleteWorkflows(
  texts: readonly string[],
  options: DeleteOptions,
  io: Io,
): Promise<number> {
  checkWays(texts, options, [
    'their ids, or by selectors',
    'name the ones to delete by their ids ("tutti workflows" shows them), or with -l or --field-selector.',
  ]);
  const client = await connect(options, io);
  const ids =
    texts.length > 0 ? await resolveWorkflowIds(client, texts) : await choose(client, options, io);
  if (ids.length === 0) {
    io.complain('No workflow that is over fits: there is nothing to delete.\n');
    return EXIT_CODES.done;
  }
  const isMeant = texts.length > 0 || options.dryRun === true || options.yes === true;
  if (!isMeant && !(await confirm(`Delete ${countOf(ids.length, 'workflow')}?`, io))) {
    io.complain('Nothing was deleted.\n');
    return EXIT_CODES.problem;
  }
  const deleted = await doWithEach(ids, (id) => deleteOne(client, id, options, io), io);
  return deleted.length === ids.length ? EXIT_CODES.done : EXIT_CODES.problem;
}

async function choose(
  client: Client,
  { selector, fieldSelector }: DeleteOptions,
  io: Io,
): Promise<readonly string[]> {
  const filters = { selector, fieldSelector, status: ['DONE', 'FAILED'] } as const;
  return (await createWorkflowReader(client, filters)(io.now())).map(idOf);
}

async function deleteOne(
  client: Client,
  id: string,
  { dryRun = false }: DeleteOptions,
  io: Io,
): Promise<void> {
  if (!dryRun) await client.forgetWorkflow(id);
  io.screen.write(`Workflow ${id} ${dryRun ? 'would be deleted' : 'deleted'}.\n`);
}
