/** `tutti run`: starts a workflow, on a server or on this machine, and follows it to its end if asked, or on this machine. */
import type { StartWorkflow } from '@tutti/client';
import type { ClientContext } from '../client-config/client-context.ts';
import { loadContext } from '../client-config/load-context.ts';
import { type ConnectionOptions, connectTo, resolveConnection } from '../connection.ts';
import type { Io } from '../io.ts';
import type { LocalOptions } from '../local/local-options.ts';
import { placeOf } from '../local/place.ts';
import { readWorkflowText } from '../workflow-source.ts';
import { type FollowOptions, startAndFollow } from './start-run.ts';

export interface RunOptions extends ConnectionOptions, LocalOptions, FollowOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: Readonly<Record<string, string>>;
  /** Each `name=path`. */
  readonly file?: readonly string[];
  readonly namespace?: string | undefined;
  readonly dryRun?: boolean;
}

/** `path` is a file, or `-` for standard input. Resolves with the exit code. */
export async function runWorkflow(path: string, options: RunOptions, io: Io): Promise<number> {
  const context = options.local === true ? null : await loadContext(options, io.env);
  const isHere = placeOf(options, context, io) === 'here';
  const start = await readStart(path, options, context, io);
  if (isHere) {
    const { runHere } = await import('../local/run-here.ts');
    return await runHere(start, options, io);
  }
  const client = await connectTo(resolveConnection(options, io.env, context), io);
  return await startAndFollow(client, start, options, io);
}

async function readStart(
  path: string,
  options: RunOptions,
  context: ClientContext | null,
  io: Io,
): Promise<StartWorkflow> {
  const manifestText = await readWorkflowText(path, io);
  const { env, input, file = [], namespace, dryRun = false } = options;
  return {
    manifestText,
    files: await readFiles(manifestText, file),
    ...(env && { variables: env }),
    ...(input && { inputs: input }),
    namespace: namespace ?? context?.namespace ?? undefined,
    dryRun,
  };
}

/** Most workflows have none, and need not wait for what reads YAML. */
async function readFiles(manifestText: string, pairs: readonly string[]) {
  if (pairs.length === 0) return {};
  const { openResourceFiles } = await import('./resource-files.ts');
  return await openResourceFiles(manifestText, pairs);
}
