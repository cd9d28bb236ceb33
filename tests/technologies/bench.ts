/** Runs steps in a copy of a project, on a real server with a real agent. Returns the test results that the server has. */
import { detailsOf } from '../support/api.ts';
import { ended, logOf, type Manifest, sh, start, workersEnded } from '../support/runs.ts';
import { type SharedServer, sharedServer } from '../support/shared-server.ts';
import { projectFolder, QUICK_MAVEN } from './tools.ts';

/** A run of a real tool, with all that it installs while it runs. */
const RUN_WITHIN_MS = 150_000;

export interface ProjectRun {
  readonly id: string;
  /** `suite: name STATUS`, sorted; the function and its technology were as asked for. */
  readonly cases: readonly string[];
  /** The text of what did not pass, by the name of the test case. */
  readonly texts: Readonly<Record<string, string>>;
  /** Outcomes of the executions of each test case in this run, by its name. The one that counts is last. */
  readonly executions: Readonly<Record<string, readonly string[]>>;
  /** The exit code of the step is 0. */
  readonly hasPassed: boolean;
  readonly log: string;
  /** Warnings about broken reports. */
  readonly warnings: readonly string[];
}

export interface RunOptions {
  /** Folders with programs, before those of the machine. */
  readonly path?: string;
  /** A folder `node_modules` for the project. */
  readonly packages?: string;
  readonly variables?: Readonly<Record<string, string>>;
  /** Steps in front of the tests. */
  readonly before?: readonly Manifest[];
  /** Reports are broken or missing. Without it that is an error: what a tool wrote to its end must not look cut off. */
  readonly isBroken?: boolean;
}

export interface TechnologyBench {
  readonly shared: SharedServer;
  /** Runs one function in a copy of a project. A file `breach`, which hostile inputs would make, is an error. */
  run(project: string, call: Manifest, options?: RunOptions): Promise<ProjectRun>;
}

export async function technologyBench(
  options: Parameters<typeof sharedServer>[1] = undefined,
): Promise<TechnologyBench> {
  const shared = await sharedServer({ tags: ['linux'], name: 'tester' }, options);
  return {
    shared,
    async run(project, call, options = {}) {
      const id = await start(shared.server, workflowOf(project, call, options));
      await ended(shared.server, id, { withinMs: RUN_WITHIN_MS });
      await workersEnded(shared.server, id);
      const answer = await shared.server.call('GET', `/workflows/${id}/datasources/testcases`);
      const log = await logOf(shared.server, id);
      if (log.includes('BREACHED')) throw new Error(`An input was run as a command:\n${log}`);
      const { items, warnings = [] } = detailsOf(answer) as Found;
      if (warnings.length > 0 && options.isBroken !== true) {
        throw new Error(`A report is broken: ${warnings.join(' ')}\n${log}`);
      }
      return {
        id,
        ...shownBy(items, String(call.uses)),
        log,
        warnings,
        hasPassed: log.includes('<< passed >>'),
      };
    },
  };
}

interface Found {
  readonly items?: unknown;
  readonly warnings?: readonly string[];
}

function workflowOf(project: string, call: Manifest, options: RunOptions): Manifest {
  const { path, packages, variables = {}, before = [] } = options;
  const steps = [
    sh(`cp -R '${projectFolder(project)}/.' .`),
    ...(packages === undefined ? [] : [sh(`ln -s '${packages}' node_modules`)]),
    ...before,
    { ...call, id: 'tests', 'continue-on-error': true },
    { if: "steps.tests.outcome == 'success'", run: "echo '<< passed >>'" },
    sh(
      "if [ -n \"$(find . -name 'breach*' -not -path './node_modules/*')\" ]; then echo BREACH''ED; fi",
    ),
  ];
  const own = path === undefined ? {} : { PATH: `${path}:$PATH` };
  return {
    metadata: { name: project.replaceAll('/', '-') },
    variables: { ...QUICK_MAVEN, ...variables, ...own },
    jobs: { main: { 'runs-on': 'linux', steps } },
  };
}

/** The items of the data source; none when it is still told that there are none. */
function shownBy(items: unknown, uses: string): Pick<ProjectRun, 'cases' | 'texts' | 'executions'> {
  const found = (Array.isArray(items) ? items : []) as readonly TestCase[];
  for (const { test } of found) {
    if (test.uses !== uses || test.technology !== uses.split('/')[0])
      throw new Error(`${test.technology} of ${test.uses}, not of ${uses}`);
  }
  return {
    cases: found
      .map(({ test, status }) => `${test.suiteName}: ${test.testCaseName} ${status}`)
      .sort(),
    texts: Object.fromEntries(
      found.map(({ test, execution }) => [test.testCaseName, JSON.stringify(execution)]),
    ),
    executions: Object.fromEntries(
      found.map(({ test, status, executionHistory = [] }) => [
        test.testCaseName,
        [...executionHistory.filter((each) => each.workflow_id === undefined), { status }].map(
          (each) => each.status,
        ),
      ]),
    ),
  };
}

/** The keys of the items that these tests read (specification 2.6). */
interface TestCase {
  readonly test: {
    readonly uses: string;
    readonly technology: string;
    readonly suiteName: string;
    readonly testCaseName: string;
  };
  readonly status: string;
  readonly execution: unknown;
  readonly executionHistory?: readonly {
    /** Id of the earlier run with this execution. */
    readonly workflow_id?: string;
    readonly status: string;
  }[];
}
