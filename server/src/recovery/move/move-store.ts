/**
 * Moves the data of a stopped server from its data directory into an empty database. Files move into a bucket, if one is named.
 *
 * Rows are one transaction, so a copy that breaks off leaves an empty database. The directory changes last: it then names the database, and
 * its own one gets another name. If the process ends between the two, the next call finds the same
 * rows on both sides.
 */
import { existsSync, renameSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import type { Client } from 'pg';
import { recordBucket, recordedBucket } from '../../blobs/bucket-record.ts';
import { blobsOf, databaseOf, storeRecordOf } from '../../runtime/data-directory.ts';
import { recordedPlace, recordPlace } from '../../runtime/place-record.ts';
import { type DatabasePlace, parseDatabasePlace } from '../../store/postgres/database-place.ts';
import { damageText } from '../../store/sqlite/kept-log.ts';
import { OpenRefusal } from '../../store/sqlite/open-refusal.ts';
import { lookAtUnusedLog, ownDatabase } from '../../store/sqlite/owned-database.ts';
import { RecoveryRefusal } from '../refusal.ts';
import { openStore } from '../store-copy.ts';
import { copyFiles } from './copied-files.ts';
import { copyIntoDatabase, openTarget } from './copied-store.ts';
import { sourceNumbers, sourceTables } from './source-tables.ts';

export interface MoveRequest {
  readonly dataDir: string;
  /** Address of the database, without a password. */
  readonly to: string;
  /** Address of a bucket; null if the files stay where they are. */
  readonly blobs: string | null;
  /** Makes the names of what stays behind unique. */
  readonly suffix: string;
  readonly signal: AbortSignal;
  /** Told of each kind of data once it is copied. */
  readonly onCopied: (kind: string, count: number) => void;
}

export interface MoveReport {
  readonly address: string;
  readonly runs: number;
  readonly files: number;
  /** The database had the rows already, of a call that was ended before the last step. */
  readonly wasThere: boolean;
  /** Paths of what stays behind under another name. */
  readonly aside: readonly string[];
}

/** Throws RecoveryRefusal or OrchestratorError with what to do; the data directory is then as it was. */
export async function moveStore(request: MoveRequest): Promise<MoveReport> {
  const place = parseDatabasePlace(request.to);
  const bucket = await bucketOf(request);
  refuseOtherPlace(request, place);
  const owned = ownSource(request.dataDir);
  let copied: Awaited<ReturnType<typeof copyAll>>;
  try {
    copied = await copyAll(owned.db, place, request);
  } finally {
    owned.close();
  }
  const aside = leaveDirectory(request, place, bucket);
  return { ...copied, address: place.address, aside };
}

async function copyAll(db: DatabaseSync, place: DatabasePlace, request: MoveRequest) {
  const { signal, onCopied } = request;
  const client = await openTarget(place);
  try {
    const files =
      request.blobs === null ? 0 : await copyFiles(request.dataDir, request.blobs, signal);
    if (request.blobs !== null) onCopied('files', files);
    const source = { tables: sourceTables(db), numbers: sourceNumbers(db) };
    const copied = await copyIntoDatabase(client, source, { place, signal, onCopied });
    return { files, ...copied };
  } finally {
    await endOf(client);
  }
}

const endOf = (client: Client) => client.end().catch(() => undefined);

/** The address of the bucket as records have it. Throws where files are in a bucket already. */
async function bucketOf({ dataDir, blobs }: MoveRequest): Promise<string | null> {
  if (blobs === null) return null;
  const { parseBucketPlace } = await import('../../blobs/s3/bucket-place.ts');
  const { address } = parseBucketPlace(blobs);
  const recorded = recordedBucket(dataDir);
  if (recorded === null || recorded === address) return address;
  throw new RecoveryRefusal(
    `The files of runs of ${dataDir} are in ${recorded} already.`,
    'leave --blobs out: they stay there.',
  );
}

function refuseOtherPlace({ dataDir, to }: MoveRequest, { address }: DatabasePlace): void {
  const recorded = recordedPlace(storeRecordOf(dataDir));
  const isWhole = existsSync(databaseOf(dataDir));
  if (recorded === null || (recorded === address && isWhole)) return;
  throw new RecoveryRefusal(
    `The runs of ${dataDir} are in ${recorded} already.`,
    recorded === address
      ? `start the server with --data-dir ${dataDir} --store '${to}'.`
      : 'name the data directory whose runs move with --from.',
  );
}

function ownSource(dataDir: string): ReturnType<typeof ownDatabase> {
  const file = databaseOf(dataDir);
  // With the refusals of a backup, and nothing changed.
  openStore(file, dataDir, { readOnly: true }).close();
  const damage = lookAtUnusedLog(file);
  if (damage !== null) {
    throw new RecoveryRefusal(
      damageText(damage),
      `run "tutti doctor --repair --data-dir ${dataDir}" first.`,
    );
  }
  try {
    return ownDatabase(file, 0);
  } catch (error) {
    const cause = error instanceof Error ? error.cause : null;
    if (!(cause instanceof OpenRefusal) || cause.passing !== 'in-use') throw error;
    throw new RecoveryRefusal(
      `A server uses ${dataDir}.`,
      'stop that server first, then repeat the copy.',
    );
  }
}

/** The record comes first: from then on no server takes the directory for the place of its runs. */
function leaveDirectory(
  { dataDir, suffix }: MoveRequest,
  { address }: DatabasePlace,
  bucket: string | null,
): readonly string[] {
  recordPlace(storeRecordOf(dataDir), address);
  const left = [databaseOf(dataDir)];
  if (bucket !== null) {
    recordBucket(dataDir, bucket);
    left.push(blobsOf(dataDir));
  }
  return left.filter(existsSync).map((path) => {
    const aside = `${path}.moved-${suffix}`;
    renameSync(path, aside);
    return aside;
  });
}
