/** Reads of the current state on any connection. */
import type { Client } from 'pg';
import { type Parameter, query, type ReadConnections } from './connection.ts';

/** One statement, which is one snapshot. */
export type Read = <Row extends object>(
  text: string,
  parameters?: readonly Parameter[],
) => Promise<readonly Row[]>;

/** Several statements as one view of the database. */
export type Snapshot = <Result>(work: (read: Read) => Promise<Result>) => Promise<Result>;

export const createRead =
  (connections: ReadConnections): Read =>
  (text, parameters) =>
    connections.use((client) => query(client, text, parameters));

export function createSnapshot(connections: ReadConnections): Snapshot {
  return (work) =>
    connections.use(async (client: Client) => {
      await query(client, 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
      try {
        return await work((text, parameters) => query(client, text, parameters));
      } finally {
        await query(client, 'COMMIT');
      }
    });
}
