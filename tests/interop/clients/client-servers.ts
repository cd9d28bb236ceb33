/** The servers of a test file with clients. The oldest clients know no workflow that waits for its first environment. */
import { afterAll, beforeAll } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { type ServerChild, Workbench } from '../../support/workbench.ts';
import type { FeatureRun } from '../feature.ts';
import type { Program } from '../program.ts';
import type { Subject } from '../subjects.ts';
import { type Ctl, type CtlOptions, openCtl } from './ctl.ts';
import { OLD } from './subjects.ts';

export interface ClientServers {
  readonly bench: Workbench;
  of(subject: Subject): ServerChild;
  /** The client of a run, with the server for its age. */
  open(
    run: FeatureRun<Subject>,
    options?: CtlOptions,
  ): Promise<{ readonly ctl: Ctl; readonly server: ServerChild }>;
}

/** Two servers with agents, for all tests of the file that calls this at its top. */
export function useClientServers(): ClientServers {
  let bench: Workbench;
  let forOld: ServerChild;
  let forNew: ServerChild;
  beforeAll(async () => {
    bench = await Workbench.open();
    [forOld, forNew] = await Promise.all([
      withAgents(bench, { pendingAsRunning: true }),
      withAgents(bench, {}),
    ]);
  });
  afterAll(() => bench.close());
  const of = (subject: Subject) => (OLD.includes(subject) ? forOld : forNew);
  return {
    get bench() {
      return bench;
    },
    of,
    async open(run, options) {
      const server = of(run.subject);
      return { server, ctl: await openCtl(bench, server, run, options) };
    },
  };
}

async function withAgents(bench: Workbench, config: object): Promise<ServerChild> {
  const server = await bench.server({ config: { ...config } });
  await Promise.all(
    ['one', 'two', 'three'].map((name) => bench.agent(server, { tags: ['linux', 'shell'], name })),
  );
  return server;
}

/** Waits until a program that still runs has printed a text. */
export function printed(program: Program, text: string): Promise<true> {
  return eventually(`"${text}" in what is printed`, () => program.stdout.includes(text));
}
