/** The visible state of a finished run, to compare with its later state. */
import type { RunEvent } from '@tutti/manifests';
import type { Api } from './api.ts';
import { detailsOf } from './api.ts';
import { allEvents, logOf, only } from './runs.ts';

export interface ObservedRun {
  readonly events: readonly RunEvent[];
  readonly log: string;
  readonly jobs: unknown;
  readonly testCases: unknown;
  /** Contents of attachments by their ids. */
  readonly files: Readonly<Record<string, string>>;
}

export async function observeRun(api: Api, id: string): Promise<ObservedRun> {
  const events = await allEvents(api, id);
  const ids = [...only(events, 'ExecutionResult'), ...only(events, 'WorkflowResult')].flatMap(
    ({ metadata }) => Object.values(metadata.attachments ?? {}).map(({ uuid }) => uuid),
  );
  const files: Record<string, string> = {};
  for (const uuid of ids) {
    files[uuid] = (await api.call('GET', `/workflows/${id}/files/${uuid}`)).text;
  }
  const source = async (kind: string) =>
    detailsOf(await api.call('GET', `/workflows/${id}/datasources/${kind}`)).items;
  const [jobs, testCases] = [await source('jobs'), await source('testcases')];
  return { events, log: await logOf(api, id), jobs, testCases, files };
}
