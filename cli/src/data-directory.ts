/** The data directory that commands are about. */
import { DEFAULT_DATA_DIR } from './connection.ts';
import type { Io } from './io.ts';
import { UsageError } from './problem.ts';

export interface DataDirOption {
  readonly dataDir?: string;
}

/** Option over environment over the default. */
export const dataDirOf = ({ dataDir }: DataDirOption, { env }: Io): string =>
  dataDir ?? (env.TUTTI_DATA_DIR || DEFAULT_DATA_DIR);

/** Refusals about data are told as all others are. */
export async function withRefusals<Result>(work: () => Promise<Result>): Promise<Result> {
  const { loadRecovery } = await import('@tutti/server');
  const { RecoveryRefusal } = await loadRecovery();
  try {
    return await work();
  } catch (error) {
    throw error instanceof RecoveryRefusal ? new UsageError(error.message, error.next) : error;
  }
}
