/** The database and the bucket that several replicas share, with proxies between all of them. */
import { DatabaseProxy } from '../../support/database-proxy.ts';
import { freePort } from '../../support/free-port.ts';
import { databaseIn, installPostgres } from '../../support/postgres-server.ts';
import { openS3Faults, type S3Faults } from '../../support/s3-faults.ts';
import { installS3Server, S3Server } from '../../support/s3-server.ts';
import { DatabasePair } from './database-pair.ts';
import type { Disk } from './disk.ts';
import { createProxyCounts, FaultProxy, type ProxyCounts } from './fault-proxy.ts';

export interface ReplicaSite {
  /** The address of the database for this replica. */
  readonly store: string;
  /** To both servers of the database. */
  readonly databaseProxies: readonly DatabaseProxy[];
  /** The port at which it listens for other replicas. */
  readonly port: number;
  /** To the other replicas, by their ports. */
  readonly links: ReadonlyMap<number, FaultProxy>;
}

export interface ReplicaPlace {
  readonly databases: DatabasePair;
  /** The name of the database. */
  readonly database: string;
  readonly s3: S3Server;
  readonly bucket: S3Faults;
  readonly blobs: string;
  readonly sites: readonly ReplicaSite[];
  readonly linkCounts: ProxyCounts;
  readonly disk: Disk;
}

/** Starts all of it. Throws where it cannot be had. */
export async function openReplicaPlace(folder: string, replicas: number): Promise<ReplicaPlace> {
  const [programs, s3Program] = [installPostgres(), await installS3Server()];
  if ('missing' in programs) throw new Error(programs.missing);
  if ('missing' in s3Program) throw new Error(s3Program.missing);
  const databases = await DatabasePair.start(programs.tool);
  const s3 = await S3Server.start(s3Program.tool);
  await s3.createBucket('files');
  const bucket = await openS3Faults(s3.port);
  const url = await databases.createDatabase();
  const ports: number[] = [];
  for (let index = 0; index < replicas; index += 1) ports.push(await freePort());
  const linkCounts = createProxyCounts();
  const sites = await Promise.all(
    ports.map((port) => openSite(url, databases.ports, ports, { port, linkCounts })),
  );
  return {
    ...{ databases, s3, bucket, sites, linkCounts, database: databaseIn(url) },
    blobs: `s3://files?endpoint=${bucket.endpoint}`,
    disk: databaseFaults(folder, databases, sites),
  };
}

async function openSite(
  url: string,
  databases: readonly number[],
  replicas: readonly number[],
  { port, linkCounts }: { readonly port: number; readonly linkCounts: ProxyCounts },
): Promise<ReplicaSite> {
  const databaseProxies = await Promise.all(databases.map((each) => DatabaseProxy.open(each)));
  const hosts = databaseProxies.map((proxy) => new URL(proxy.urlOf(url)).host);
  const links = new Map<number, FaultProxy>();
  for (const other of replicas.filter((each) => each !== port)) {
    links.set(other, await FaultProxy.open(other, linkCounts, null));
  }
  const store = url.replace(new URL(url).host, hosts.join(','));
  return { store, databaseProxies, port, links };
}

/** Faults of the disk are faults of the database here: it is silent for one replica, restarted, or killed. */
function databaseFaults(
  folder: string,
  databases: DatabasePair,
  sites: readonly ReplicaSite[],
): Disk {
  let turn = 0;
  const met = { delayed: 0, failed: 0 };
  const restart = async (how: 'stop' | 'kill') => {
    met.failed += 1;
    await databases.restart(how);
  };
  return {
    folder,
    environment: {},
    slow: (syncMs) => {
      const all = sites.flatMap(({ databaseProxies }) => databaseProxies);
      if (syncMs === 0) for (const proxy of all) proxy.resume();
      else for (const proxy of sites[turn++ % sites.length]?.databaseProxies ?? []) proxy.stall();
      met.delayed += 1;
    },
    fill: () => restart('stop'),
    clear: async () => undefined,
    fail: (syncs) => {
      if (syncs > 0) void restart('kill');
    },
    met: () => met,
    missing: [],
    close: () => databases.settled(),
  };
}

export async function closeReplicaPlace(place: ReplicaPlace): Promise<void> {
  for (const { databaseProxies, links } of place.sites) {
    for (const proxy of databaseProxies) proxy.close();
    for (const link of links.values()) await link.close();
  }
  await place.bucket.close();
  await place.s3.remove();
  await place.databases.remove();
}
