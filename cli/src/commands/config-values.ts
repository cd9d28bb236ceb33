/** Values of what `tutti config` writes, as options give them. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { booleanOf } from '@tutti/manifests/values';
import { UsageError } from '../problem.ts';

/** Paths are written as they lead from anywhere. Throws `UsageError` for what is not there. */
export function existingFile(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const file = resolve(value);
  if (existsSync(file)) return file;
  throw new UsageError(`There is no file ${file}.`, 'name a file that is there.');
}

/** Undefined where nothing is given. Throws `UsageError` for what is neither true nor false. */
export function readBoolean(option: string, value: unknown): boolean | undefined {
  if (value === undefined || typeof value === 'boolean') return value;
  const read = booleanOf(value);
  if (read !== null) return read;
  throw new UsageError(`${option} takes true or false, not "${String(value)}".`);
}
