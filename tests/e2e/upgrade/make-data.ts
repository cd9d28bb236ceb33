/**
 * Makes the input of `upgrade.test.ts`: the data directory of a killed server of this version, and its answers.
 * `TUTTI_UPGRADE_DATA=1 npx vitest run --project e2e tests/e2e/upgrade` writes an archive of both beside this file, named after the version
 * of the server. Do so with each release; what earlier versions wrote is never made anew.
 */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ObservedRun, observeRun } from '../../support/observed-run.ts';
import {
  ended,
  logged,
  type Manifest,
  oneJob,
  sh,
  start,
  startedId,
  statusOf,
  workersEnded,
} from '../../support/runs.ts';
import { SAMPLE } from '../../support/sample-run.ts';
import type { ServerChild, Workbench } from '../../support/workbench.ts';

export interface MadeData {
  readonly version: string;
  readonly subscription: string;
  /** Runs that are over, by their ids. */
  readonly over: Readonly<Record<string, ObservedRun & { readonly status: string }>>;
  /** Runs that wait for an agent with the tag `later`. */
  readonly live: {
    /** Nothing of it ran. */
    readonly waiting: string;
    /** One job is over; the other reads what that left, and a resource file. */
    readonly half: string;
  };
}

const SUBSCRIPTION = {
  apiVersion: 'opentestfactory.org/v1',
  kind: 'Subscription',
  metadata: { name: 'upgraded' },
  // Nobody listens there.
  spec: { selector: { matchKind: 'Workflow' }, subscriber: { endpoint: 'http://127.0.0.1:1/' } },
};

/** In which tests find the runs still waiting: three hundred years. */
const PATIENCE = { 'timeout-minutes': 160_000_000 };

const HALF = {
  metadata: { name: 'half' },
  resources: { files: ['words'] },
  jobs: {
    first: {
      'runs-on': 'linux',
      outputs: { left: `\${{ steps.leave.outputs.left }}` },
      steps: [sh('echo "::set-output name=left::of the first job"', { id: 'leave' })],
    },
    second: {
      'runs-on': 'later',
      ...PATIENCE,
      needs: 'first',
      steps: [
        { uses: 'actions/put-file@v1', with: { file: 'words', path: 'words.txt' } },
        sh(`echo "\${{ needs.first.outputs.left }}: $(cat words.txt)"`),
      ],
    },
  },
};

/** The archive's file of observations. */
export const SEEN_FILE = 'seen.json';

export const WORDS = 'words of a resource file';

const MASKED = oneJob('masked', [
  sh('echo "::add-mask::hidden"'),
  sh('echo this is hidden'),
  sh('exit 3'),
]);

async function startHalf(server: ServerChild): Promise<string> {
  const body = new FormData();
  body.set('workflow', new Blob([JSON.stringify(HALF)], { type: 'application/json' }), 'half.json');
  body.set('words', new Blob([WORDS]), 'words');
  const id = startedId(await server.call('POST', '/workflows', { body }));
  await logged(server, id, 'of the first job');
  return id;
}

/** Writes the archive of that version. */
export async function makeData(bench: Workbench, version: string): Promise<void> {
  const server = await bench.server();
  await bench.agent(server, { tags: ['linux', 'shell'] });
  const created = await server.call('POST', '/subscriptions', { body: SUBSCRIPTION });
  const ids: string[] = [];
  for (const manifest of [SAMPLE, SAMPLE, MASKED] satisfies readonly Manifest[]) {
    ids.push(await start(server, manifest));
    await ended(server, ids.at(-1) ?? '');
    await workersEnded(server, ids.at(-1) ?? '');
  }
  const waiting = oneJob('waiting', [sh('echo late')], {
    'runs-on': 'later',
    ...PATIENCE,
  });
  const live = { waiting: await start(server, waiting), half: await startHalf(server) };
  const over: Record<string, MadeData['over'][string]> = {};
  for (const id of ids) {
    over[id] = { ...(await observeRun(server, id)), status: await statusOf(server, id) };
  }
  const { uuid } = JSON.parse(created.text).details;
  await server.child.kill('SIGKILL');
  const made = { version, subscription: uuid, over, live };
  writeFileSync(join(server.dataDir, SEEN_FILE), JSON.stringify(made));
  const archive = join(import.meta.dirname, `data-${version}.tar.gz`);
  // No keys: they would be those of nobody, and look like somebody's.
  execFileSync('tar', ['-czf', archive, '-C', server.dataDir, SEEN_FILE, 'store', 'blobs']);
}
