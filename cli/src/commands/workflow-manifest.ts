/** `tutti workflows manifest`: the manifest of a run, as a file that can be run again. */
import type { Client, JsonRecord } from '@tutti/client';
import { runnableManifest } from '@tutti/workflow/runnable-manifest';
import { type ConnectionOptions, connect } from '../connection/connection.ts';
import { printDocument, printYaml } from '../options/output-format.ts';
import { workflowRef } from '../runs/workflow-ref.ts';
import { EXIT_CODES } from '../terminal/exit-codes.ts';
import type { Io } from '../terminal/io.ts';

export interface ManifestOptions extends ConnectionOptions {
  readonly output: 'yaml' | 'json';
}

/** Prints the manifest of a run, by default of the newest one. Resolves with the exit code. */
export async function showManifest(
  text: string | undefined,
  options: ManifestOptions,
  io: Io,
): Promise<number> {
  const client = await connect(options, io);
  const id = await workflowRef(client, text, { what: 'to show' }, io);
  const { manifest, files } = runnableManifest(await received(client, id));
  if (options.output === 'json') printDocument(manifest, io);
  else await printYaml(manifest, io);
  if (files.length > 0) {
    io.complain(
      `tutti: It needs these files to run again, which are not in it: ${files.join(', ')}. Give each with -f NAME=PATH.\n`,
    );
  }
  return EXIT_CODES.done;
}

/** The first event of a run. */
async function received(client: Client, workflowId: string): Promise<JsonRecord> {
  const query = { fieldSelector: 'kind=Workflow', pageSize: 1 };
  for await (const { events } of client.eventPages(workflowId, query)) {
    const [event] = events;
    if (event !== undefined) return { ...event };
    break;
  }
  throw new Error(`Workflow ${workflowId} has no event of kind Workflow.`);
}
