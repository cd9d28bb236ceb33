/** The first connection to a database, which the start of a server, `tutti doctor` and `tutti store copy` check alike. */
import type { Client } from 'pg';
import { connect, end } from './connection.ts';
import { isLost, lossProblem } from './database-failure.ts';
import type { DatabasePlace } from './database-place.ts';
import type { PostgresLimits } from './limits.ts';
import { checkDatabase } from './migrate.ts';

type FirstLimits = Pick<PostgresLimits, 'firstConnectMs' | 'turnMs' | 'batchMs'>;

/** Throws with the problem and what to do where the server could not use the database. */
export async function connectChecked(place: DatabasePlace, limits: FirstLimits): Promise<Client> {
  const connectFirst = () => firstConnection(place, limits);
  const client = await connectFirst();
  try {
    await checkDatabase(client, place.address, connectFirst);
    return client;
  } catch (error) {
    end(client);
    throw isLost(error) ? lossProblem(error, place.address) : error;
  }
}

async function firstConnection(place: DatabasePlace, limits: FirstLimits): Promise<Client> {
  const { firstConnectMs: connectMs, turnMs, batchMs } = limits;
  try {
    return await connect(place, { connectMs, turnMs }, batchMs);
  } catch (error) {
    throw lossProblem(error, place.address);
  }
}
