/** Which bucket has the files of a data directory. */
import { bucketRecordOf } from '../runtime/data-directory.ts';
import { recordedPlace, recordPlace } from '../runtime/place-record.ts';

/** The address of the bucket; null where the files are in the data directory. */
export const recordedBucket = (dataDir: string): string | null =>
  recordedPlace(bucketRecordOf(dataDir));

export function recordBucket(dataDir: string, address: string): void {
  recordPlace(bucketRecordOf(dataDir), address);
}
