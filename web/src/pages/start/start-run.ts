/** Sends a workflow to the server. */
import { createClient } from '@tutti/client';
import { pageFetch, SERVER } from '../../data/api.ts';

interface NewRun {
  readonly text: string;
  readonly inputs: Readonly<Record<string, string>>;
  readonly files: Readonly<Record<string, Blob>>;
  readonly namespace: string;
}

/** Resolves with the id of the run. With `isDry` the server only checks it. */
export function startRun(run: NewRun, isDry: boolean): Promise<string> {
  const { text: manifestText, inputs, files, namespace } = run;
  const client = createClient({ baseUrl: SERVER, fetch: pageFetch });
  return client.startWorkflow({ manifestText, inputs, files, namespace, dryRun: isDry });
}
