/** Starts runs and waits for their events. */
import type { RunEvent, RunEventKind, RunEventOf } from '@tutti/manifests';
import { type Answer, type Api, bodyOf, detailsOf, eventsOf, nextLinkOf } from './api.ts';
import { eventually, type Patience } from './eventually.ts';

export type Manifest = Readonly<Record<string, unknown>>;

/** A workflow of one job. */
export function oneJob(name: string, steps: readonly Manifest[], job: Manifest = {}): Manifest {
  return { metadata: { name }, jobs: { main: { 'runs-on': 'linux', steps, ...job } } };
}

export const sh = (run: string, more: Manifest = {}): Manifest => ({ run, ...more });

/** Starts a run and answers its id; throws with the refusal when there is none. */
export async function start(api: Api, manifest: Manifest, query?: string): Promise<string> {
  const answer = await api.call('POST', '/workflows', {
    body: manifest,
    ...(query === undefined ? {} : { query }),
  });
  return startedId(answer);
}

export function startedId(answer: Answer): string {
  const { workflow_id: id } = detailsOf(answer);
  if (typeof id !== 'string') throw new Error(`Not accepted: ${JSON.stringify(bodyOf(answer))}`);
  return id;
}

export async function statusOf(api: Api, id: string): Promise<string> {
  const answer = await api.call('GET', `/workflows/${id}/status`, { query: 'per_page=1' });
  return String(detailsOf(answer).status);
}

export const isOver = (status: string): boolean => status === 'DONE' || status === 'FAILED';

/** Waits for the end and answers the status. */
export async function ended(api: Api, id: string, patience?: Patience): Promise<string> {
  const look = async () => {
    const status = await statusOf(api, id);
    return isOver(status) ? status : null;
  };
  try {
    return await eventually(`the end of workflow ${id}`, look, patience);
  } catch (error) {
    throw new Error(`${error}\n${(await api.call('GET', `/workflows/${id}/logs`)).text}`);
  }
}

/** Waits until the run has no workers: its reports have been read. */
export function workersEnded(api: Api, id: string): Promise<true> {
  return eventually(`the end of the workers of workflow ${id}`, async () => {
    const answer = await api.call('GET', `/workflows/${id}/workers`);
    return detailsOf(answer).status === 'IDLE';
  });
}

/** Every event of a run, in order. */
export async function allEvents(api: Api, id: string): Promise<readonly RunEvent[]> {
  const events: RunEvent[] = [];
  let query: string | null = 'per_page=1000';
  while (query !== null) {
    const answer: Answer = await api.call('GET', `/workflows/${id}/status`, { query });
    events.push(...eventsOf(answer));
    const next = nextLinkOf(answer);
    query = next === null ? null : new URL(next).search.slice(1);
  }
  return events;
}

export function only<Kind extends RunEventKind>(
  events: readonly RunEvent[],
  kind: Kind,
): readonly RunEventOf<Kind>[] {
  return events.filter((event): event is RunEventOf<Kind> => event.kind === kind);
}

/** The path of the first attachment of a run. */
export async function attachmentOf(api: Api, id: string): Promise<string> {
  const [file] = only(await allEvents(api, id), 'ExecutionResult').flatMap(({ metadata }) =>
    Object.values(metadata.attachments ?? {}),
  );
  return `/workflows/${id}/files/${file?.uuid}`;
}

export async function logOf(api: Api, id: string): Promise<string> {
  return (await api.call('GET', `/workflows/${id}/logs`)).text;
}

/** The texts of the execution log, without time and job; nested steps keep their indentation. */
export async function logTexts(api: Api, id: string): Promise<readonly string[]> {
  const [, , ...lines] = (await logOf(api, id)).split('\n');
  return lines
    .filter((line) => line !== '')
    .map((line) => line.replace(/^\[[^\]]*\] \[job [^\]]*\] /, ''));
}

/** Waits until the execution log has a text. */
export function logged(api: Api, id: string, text: string, patience?: Patience): Promise<string> {
  return eventually(
    `"${text}" in the log of workflow ${id}`,
    async () => {
      const log = await logOf(api, id);
      return log.includes(text) ? log : null;
    },
    patience,
  );
}

/** Waits until a data source has as many items, and answers them. */
export function datasource(
  api: Api,
  id: string,
  kind: 'testcases' | 'jobs' | 'tags',
  { count, query }: { readonly count: number; readonly query?: string },
): Promise<readonly Manifest[]> {
  return eventually(`${count} items of the data source ${kind}`, async () => {
    const answer = await api.call('GET', `/workflows/${id}/datasources/${kind}`, {
      ...(query === undefined ? {} : { query }),
    });
    const { items } = detailsOf(answer);
    return Array.isArray(items) && items.length >= count ? items : null;
  });
}
