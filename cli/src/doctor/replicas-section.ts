/** The replicas that share a database: whether they live, reach each other, and are alike. */
import type { ReplicaReport } from '@tutti/server';
import { attention, ok, type Point, type Section, wrong } from './section.ts';

/** Null where one server has the database alone. */
export function replicasSection(replicas: readonly ReplicaReport[]): Section | null {
  if (replicas.length === 0) return null;
  return {
    name: 'Replicas',
    points: [...replicas.map(pointOf), ...activePoints(replicas), ...differences(replicas)],
  };
}

function pointOf({ address, version, isActive, isAlive, isReached }: ReplicaReport): Point {
  if (!isAlive) {
    return attention(
      `${address} sent no heartbeat for two seconds`,
      'look at its log, and whether it reaches the database. Others remove it, and it may start again.',
    );
  }
  if (!isReached) {
    return attention(
      `${address} does not answer this machine`,
      'if a replica runs here, let it reach that port, or correct cluster.address there.',
    );
  }
  return ok(`${address} ${isActive ? 'is active' : 'waits'}, with version ${version}`);
}

function activePoints(replicas: readonly ReplicaReport[]): readonly Point[] {
  if (replicas.some(({ isActive, isAlive }) => isActive && isAlive)) return [];
  return [
    wrong(
      'no replica is active',
      'start a replica. If some run, look at their logs, and whether they reach the database.',
    ),
  ];
}

const countOfValues = (values: readonly string[]): number => new Set(values).size;

function differences(replicas: readonly ReplicaReport[]): readonly Point[] {
  const versions = [...new Set(replicas.map(({ version }) => version))];
  return [
    ...(versions.length === 1
      ? []
      : [
          attention(
            `they have several versions: ${versions.join(', ')}`,
            'install the newest one on all of them, one after the other.',
          ),
        ]),
    ...(countOfValues(replicas.map(({ key }) => key)) === 1
      ? []
      : [
          wrong(
            'they have different keys, and refuse tokens of each other',
            'copy the folder keys and admin.token of one data directory to all, and restart these.',
          ),
        ]),
    ...(countOfValues(replicas.map(({ settings }) => settings)) === 1
      ? []
      : [
          attention(
            'they have different settings',
            'give all of them the same ones, but for addresses and folders.',
          ),
        ]),
  ];
}
