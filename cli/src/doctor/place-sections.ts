/** The database with the runs and its replicas, and the bucket with their files: whether this machine can use them. */
import { isOrchestratorError } from '@tutti/manifests';
import type { Io } from '../terminal/io.ts';
import { replicasSection } from './replicas-section.ts';
import { ok, type Point, type Section, wrong } from './section.ts';

export interface Places {
  readonly blobs?: string;
  readonly store?: string;
}

/** Nothing for what is in the data directory. */
export async function placeSections(
  { blobs, store }: Places,
  dataDir: string,
  io: Io,
): Promise<readonly Section[]> {
  const { loadRecovery } = await import('@tutti/server');
  const { diagnoseBucket, diagnoseReplicas, diagnoseStore } = await loadRecovery();
  const named = (option: string | undefined, variable: string) =>
    (option ?? io.env[variable] ?? '') || null;
  const database = { dataDir, store: named(store, 'TUTTI_STORE') };
  const runs = await pointOf('runs are in', () => diagnoseStore(database));
  const replicas = runs?.level === 'ok' ? replicasSection(await diagnoseReplicas(database)) : null;
  const files = await pointOf('files of runs are in', () =>
    diagnoseBucket({ dataDir, blobs: named(blobs, 'TUTTI_BLOBS') }),
  );
  return [
    ...(runs === null ? [] : [{ name: 'Store', points: [runs] }]),
    ...(replicas === null ? [] : [replicas]),
    ...(files === null ? [] : [{ name: 'Files', points: [files] }]),
  ];
}

interface PlaceReport {
  readonly address: string;
  readonly problem: string | null;
}

async function pointOf(
  words: string,
  look: () => Promise<PlaceReport | null>,
): Promise<Point | null> {
  try {
    const report = await look();
    if (report === null) return null;
    const { address, problem } = report;
    return problem === null ? ok(`${words} ${address}`) : wrong(problem, null);
  } catch (error) {
    if (!isOrchestratorError(error)) throw error;
    return wrong(error.message, null);
  }
}
