/** Observations of a run of a sample, in the words of its expectation. */
import type { RunEvent } from '@tutti/manifests';
import { type Api, detailsOf, type Loose } from '../../support/api.ts';
import { allEvents, datasource, ended, logTexts, only, workersEnded } from '../../support/runs.ts';
import type { Expected } from './samples.ts';

export interface Observation {
  readonly end: string;
  readonly jobs: Readonly<Record<string, unknown>>;
  readonly functions: readonly string[];
  readonly events: readonly string[];
  readonly cases: readonly string[];
  readonly outputs: Readonly<Record<string, string>>;
  readonly files: readonly string[];
  readonly log: readonly string[];
  readonly gate: unknown;
}

/** Waits for the end of the run and of what reads its reports. */
export async function observe(api: Api, id: string, expected: Expected): Promise<Observation> {
  const end = await ended(api, id);
  await workersEnded(api, id);
  const events = await allEvents(api, id);
  const short = shortForm(events);
  const count = Object.keys(expected.jobs).length;
  const jobs = await datasource(api, id, 'jobs', { count });
  const cases = await datasource(api, id, 'testcases', { count: (expected.cases ?? []).length });
  const gate = await api.call('GET', `/workflows/${id}/qualitygate`, { query: 'mode=strict' });
  return {
    end,
    jobs: Object.fromEntries(
      jobs.map(({ metadata, status }) => [nameIn(metadata), phaseIn(status)]),
    ),
    functions: calls(events),
    events: events.map(short),
    cases: cases.map(caseText).sort(),
    outputs: only(events, 'WorkflowCompleted')[0]?.outputs ?? {},
    files: filesOf(events),
    log: await logTexts(api, id),
    gate: detailsOf(gate).status,
  };
}

const nameIn = (metadata: unknown): string => String((metadata as Loose).name);
const phaseIn = (status: unknown): unknown => (status as Loose).phase;

function caseText({ metadata, test, status }: Loose): string {
  const { job, technology } = test as Loose;
  return [job, technology, nameIn(metadata), status].join(' ');
}

function calls(events: readonly RunEvent[]): readonly string[] {
  const nameOf = jobNames(events);
  return only(events, 'ProviderCommand')
    .map(({ metadata, step }) => `${nameOf(metadata.job_id)} ${step.uses}`)
    .sort();
}

function filesOf(events: readonly RunEvent[]): readonly string[] {
  const attached = [...only(events, 'ExecutionResult'), ...only(events, 'WorkflowResult')];
  return attached
    .flatMap(({ metadata }) => Object.keys(metadata.attachments ?? {}))
    .map((path) => path.replace(/^\/tmp\/[^_]*_[^_]*_(?:-?\d+_)?/, ''))
    .sort();
}

/** Names of jobs, by their ids. */
function jobNames(events: readonly RunEvent[]): (id: string) => string {
  const names = new Map<string, string>();
  for (const { kind, metadata } of events) {
    const isRequest = kind === 'ExecutionCommand' && metadata.step_sequence_id === -1;
    if (isRequest || kind === 'GeneratorCommand') names.set(metadata.job_id, metadata.name);
  }
  return (id) => names.get(id) ?? id;
}

/** One line for each event, which begins with what happened and to which job. */
export function shortForm(events: readonly RunEvent[]): (event: RunEvent) => string {
  const nameOf = jobNames(events);
  return (event) => {
    switch (event.kind) {
      case 'ExecutionCommand':
        return commandForm(event, nameOf(event.metadata.job_id));
      case 'ExecutionResult':
        return event.metadata.step_sequence_id < 0
          ? event.kind
          : `result ${nameOf(event.metadata.job_id)} ${event.status}`;
      case 'ProviderCommand':
        return `function ${nameOf(event.metadata.job_id)} ${event.step.uses}`;
      case 'GeneratorCommand':
        return `generator ${event.metadata.name} ${event.generator}`;
      case 'GeneratorResult':
        return `jobs of ${event.metadata.name}: ${Object.keys(event.jobs).join(' ')}`;
      default:
        return event.kind;
    }
  };
}

function commandForm(event: Extract<RunEvent, { kind: 'ExecutionCommand' }>, job: string): string {
  const { metadata, scripts, 'runs-on': tags } = event;
  if (metadata.step_sequence_id === -1) return `request ${job} on ${tags.join('+')}`;
  if (metadata.step_sequence_id < 0) return `release ${job}`;
  return `run ${job}: ${scripts.join('\n').trim()}`;
}

/** The first entry that no event from there on begins with; null when there is none. */
export function missingInOrder(
  events: readonly string[],
  wanted: readonly string[],
): string | null {
  let from = 0;
  for (const entry of wanted) {
    const at = events.findIndex((event, index) => index >= from && event.startsWith(entry));
    if (at < 0) return entry;
    from = at + 1;
  }
  return null;
}
