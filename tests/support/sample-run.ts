/** A server with one run that is over and one that waits, for tests that only look. */
import type { RunEvent } from '@tutti/manifests';
import { afterAll, beforeAll } from 'vitest';
import type { Answer } from './api.ts';
import { allEvents, ended, type Manifest, oneJob, sh, start, workersEnded } from './runs.ts';
import { type ServerChild, Workbench } from './workbench.ts';

export const SAMPLE_CONTENT = 'what a step left';
export const JUNIT_TYPE = 'application/vnd.opentestfactory.junit-surefire+xml';

export interface ReportedCase {
  readonly name: string;
  readonly seconds: number;
  /** Content of the element of the test case. */
  readonly outcome?: string;
}

/** A step that attaches a report on test cases of the suite "suite". */
export function reportStep(cases: readonly ReportedCase[], more: Manifest = {}): Manifest {
  const elements = cases.map(
    ({ name, seconds, outcome = '' }) =>
      `<testcase classname="suite" name="${name}" time="${seconds}">${outcome}</testcase>`,
  );
  const report = `<testsuite name="suite">${elements.join('')}</testsuite>`;
  const write = `cat > report.xml <<'END'\n${report}\nEND`;
  return sh(`${write}\necho "::attach type=${JUNIT_TYPE}::$PWD/report.xml"`, more);
}

/** A step with a report for each attempt of tests: `SF` passed, then failed. Reports are read in the order of their steps. */
export function reportsOf(outcomes: Readonly<Record<string, string>>): readonly Manifest[] {
  const attempts = Math.max(...Object.values(outcomes).map(({ length }) => length));
  return Array.from({ length: attempts }, (_, attempt) =>
    reportStep(
      Object.entries(outcomes).flatMap(([name, { [attempt]: letter }]) => {
        if (letter === undefined) return [];
        const outcome = letter === 'F' ? '<failure message="30 is not 29.97"/>' : '';
        return [{ name, seconds: 0.25, outcome }];
      }),
    ),
  );
}

/** Two jobs in order. The first has a function, and a step that attaches a file. The second reports on tests. */
export const SAMPLE = {
  metadata: { name: 'sample', labels: { 'example.com/team': 'blue' } },
  variables: { GREETING: 'hello' },
  jobs: {
    first: {
      'runs-on': ['linux'],
      steps: [
        {
          uses: 'actions/create-file@v1',
          with: { data: SAMPLE_CONTENT, format: 'txt', path: 'left.txt' },
        },
        sh('echo "::attach type=text/plain::$PWD/left.txt"; echo shown'),
      ],
    },
    second: {
      'runs-on': ['linux', 'shell'],
      needs: 'first',
      variables: { OWN: 'variable' },
      steps: [
        reportStep([
          { name: 'good', seconds: 0.25 },
          { name: 'bad', seconds: 1, outcome: '<failure message="broke" type="E">there</failure>' },
          { name: 'left out', seconds: 0, outcome: '<skipped/>' },
        ]),
      ],
    },
  },
};

/** Shared by the tests of a file; it exists from `beforeAll` on. */
export interface Sample {
  readonly bench: Workbench;
  readonly server: ServerChild;
  /** The run of SAMPLE; it is DONE. */
  readonly done: string;
  readonly events: readonly RunEvent[];
  /** A run that waits for an environment that never comes. */
  readonly waiting: string;
}

type Headers = Readonly<Record<string, string>>;

export interface SampleRequests {
  get(path: string, query?: string, headers?: Headers): Promise<Answer>;
  /** Reads the finished run: `part` follows its id in the path. */
  getDone(part: string, query?: string, headers?: Headers): Promise<Answer>;
}

/** One sample for all tests of a file; call it at the top level. */
export function useSample(): Sample & SampleRequests {
  let bench: Workbench | null = null;
  let started: Omit<Sample, 'bench'> | null = null;
  beforeAll(async () => {
    bench = await Workbench.open();
    started = await startSample(bench);
  });
  afterAll(() => bench?.close());
  const get: SampleRequests['get'] = (path, query, headers) =>
    there(started).server.call('GET', path, {
      ...(query === undefined ? {} : { query }),
      ...(headers === undefined ? {} : { headers }),
    });
  return {
    get bench() {
      return there(bench);
    },
    get server() {
      return there(started).server;
    },
    get done() {
      return there(started).done;
    },
    get events() {
      return there(started).events;
    },
    get waiting() {
      return there(started).waiting;
    },
    get,
    getDone: (part, query, headers) =>
      get(`/workflows/${there(started).done}/${part}`, query, headers),
  };
}

function there<T>(value: T | null): T {
  if (value === null) throw new Error('The sample is there when the tests run, not before.');
  return value;
}

async function startSample(bench: Workbench): Promise<Omit<Sample, 'bench'>> {
  const server = await bench.server();
  await bench.agent(server, { tags: ['linux', 'shell'], name: 'shell' });
  const done = await start(server, SAMPLE);
  const waiting = await start(server, oneJob('waiting', [sh('true')], { 'runs-on': 'nowhere' }));
  const status = await ended(server, done);
  if (status !== 'DONE') throw new Error(`The sample is ${status}.`);
  await workersEnded(server, done);
  return { server, done, events: await allEvents(server, done), waiting };
}
