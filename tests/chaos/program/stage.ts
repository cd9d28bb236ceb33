/** All that takes part in a run of the program: set before the storm, struck after it. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from '../../support/eventually.ts';
import { freePort } from '../../support/free-port.ts';
import { createRandom } from '../../support/random.ts';
import { AgentKeeper, type AgentProgram } from './agent-keeper.ts';
import { existingPrograms, ownProgram } from './agent-programs.ts';
import { RUN_ENDS } from './delivery-checks.ts';
import type { Disk } from './disk.ts';
import { INBOXES, OWN_SLOTS } from './fault-plan.ts';
import { createProxyCounts, FaultProxy, type ProxyCounts } from './fault-proxy.ts';
import type { Happenings } from './happenings.ts';
import { FaultyInbox } from './inboxes.ts';
import { Moments } from './moments.ts';
import { ReplicaKeeper } from './replica-keeper.ts';
import type { ReplicaPlace } from './replica-place.ts';
import { ServerKeeper } from './server-keeper.ts';
import { CHAOS_EVENT, Traffic } from './traffic.ts';

export interface StageOptions {
  readonly seed: number;
  readonly hasExistingAgents: boolean;
  readonly folder: string;
  readonly disk: Disk;
  readonly happenings: Happenings;
  /** Null for a server alone. */
  readonly replicas: ReplicaPlace | null;
}

/** A server, or several, that are kept running. */
export type KeptServer = Pick<
  ServerKeeper,
  | 'api'
  | 'clockJumpsSeen'
  | 'close'
  | 'destroy'
  | 'expectDiskTrouble'
  | 'graceMs'
  | 'isUp'
  | 'kill'
  | 'pid'
  | 'setClock'
  | 'start'
  | 'stop'
  | 'whenUp'
> & {
  /** Finds what must not be in the database, once nothing runs any more. */
  checkIntegrity(): Promise<void>;
};

export interface Stage {
  readonly folder: string;
  readonly dataDir: string;
  /** The administrator's. */
  readonly token: string;
  readonly ledger: string;
  readonly disk: Disk;
  readonly happenings: Happenings;
  readonly moments: Moments;
  readonly server: KeptServer;
  /** The same as `server`; null for a server alone. */
  readonly replicas: Pick<ReplicaKeeper, 'act' | 'commitTimes' | 'noteEvidence'> | null;
  /** Our own first, then existing ones. */
  readonly agents: readonly AgentKeeper[];
  readonly proxies: readonly FaultProxy[];
  readonly proxyCounts: ProxyCounts;
  readonly inboxes: readonly FaultyInbox[];
  readonly traffic: Traffic;
  /** Participants that are missing here, with the reasons. */
  readonly missing: readonly string[];
}

export async function setStage(options: StageOptions): Promise<Stage> {
  const { seed, folder, disk, happenings, hasExistingAgents } = options;
  const ledger = join(folder, 'ledger');
  await writeFile(ledger, '');
  const { server, replicas, dataDir, port } = await startServer(options);
  const token = await tokenIn(dataDir);
  const own = Array.from({ length: OWN_SLOTS }, (_, slot) => ownProgram(slot, token));
  const { programs, missing } = hasExistingAgents
    ? await existingPrograms(OWN_SLOTS, token)
    : { programs: [], missing: [] };
  const moments = new Moments();
  const proxyCounts = createProxyCounts();
  const agents = await startAgents([...own, ...programs], async (program) => {
    const confirmed = () => (program.isExisting ? undefined : moments.now('post'));
    return {
      proxy: await FaultProxy.open(port, proxyCounts, confirmed),
      folder: join(folder, 'agents'),
      happenings,
    };
  });
  const inboxes = await openInboxes(server, happenings);
  const traffic = new Traffic({
    ...{ seed, ledger, happenings, moments, api: server.api },
    random: createRandom(seed + 1),
  });
  const proxies = agents.map(({ proxy }) => proxy);
  return {
    ...{ folder, dataDir, token, ledger, disk, happenings, moments, server, agents, proxies },
    ...{ replicas, proxyCounts, inboxes, traffic, missing },
  };
}

const tokenIn = async (dataDir: string) =>
  (await readFile(join(dataDir, 'admin.token'), 'utf8')).trim();

interface Started {
  readonly server: KeptServer;
  readonly replicas: ReplicaKeeper | null;
  readonly dataDir: string;
  readonly port: number;
}

async function startServer({ folder, disk, happenings, replicas }: StageOptions): Promise<Started> {
  if (replicas !== null) {
    const keeper = await ReplicaKeeper.open({
      ...{ place: replicas, folder, happenings, readToken: tokenIn },
    });
    await keeper.start();
    return { server: keeper, replicas: keeper, dataDir: keeper.dataDir, port: keeper.port };
  }
  const port = await freePort();
  const dataDir = join(disk.folder, 'data');
  const clockFile = join(folder, 'clock');
  const readToken = () => tokenIn(dataDir);
  const server = new ServerKeeper({ port, dataDir, disk, happenings, clockFile, readToken });
  await server.start();
  return { server, replicas: null, dataDir, port };
}

type Setting = Pick<
  ConstructorParameters<typeof AgentKeeper>[0],
  'proxy' | 'folder' | 'happenings'
>;

async function startAgents(
  programs: readonly AgentProgram[],
  settingOf: (program: AgentProgram) => Promise<Setting>,
): Promise<readonly AgentKeeper[]> {
  const agents = await Promise.all(
    programs.map(async (program, slot) => {
      const setting = await settingOf(program);
      await mkdir(setting.folder, { recursive: true });
      return new AgentKeeper({ slot, program, ...setting });
    }),
  );
  await Promise.all(agents.map((agent) => agent.start()));
  return agents;
}

async function openInboxes(
  server: KeptServer,
  happenings: Happenings,
): Promise<readonly FaultyInbox[]> {
  const inboxes = await Promise.all(
    Array.from({ length: INBOXES }, () => FaultyInbox.open(happenings)),
  );
  for (const [index, inbox] of inboxes.entries()) await subscribe(server, inbox, index);
  return inboxes;
}

/** To the publications of this program, and to the ends of runs. */
async function subscribe({ api }: KeptServer, inbox: FaultyInbox, index: number): Promise<void> {
  for (const kind of [CHAOS_EVENT, ...RUN_ENDS]) {
    const body = {
      apiVersion: 'opentestfactory.org/v1alpha1',
      kind: 'Subscription',
      metadata: { name: `inbox ${index}: ${kind}` },
      spec: { selector: { matchKind: kind }, subscriber: { endpoint: inbox.url } },
    };
    // Load alone may make another replica the active one. The same subscription again only adds a holder.
    await eventually('a subscription', async () => {
      const answer = await api.call('POST', '/subscriptions', { body }).catch(() => null);
      if (answer === null || answer.code === 503) return false;
      if (answer.code !== 201) throw new Error(`No subscription: ${answer.text}`);
      return true;
    });
  }
}

export async function strike({ server, agents, proxies, inboxes }: Stage): Promise<void> {
  await Promise.all(agents.map((agent) => agent.destroy()));
  await server.destroy();
  await Promise.all(proxies.map((proxy) => proxy.close()));
  await Promise.all(inboxes.map((inbox) => inbox.close()));
}
