/** Where data is that is not in the data directory itself. Without this record, a server with another setting would take it for lost. */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

/** The address in the record; null without one. */
export function recordedPlace(file: string): string | null {
  if (!existsSync(file)) return null;
  const record: unknown = JSON.parse(readFileSync(file, 'utf8'));
  const isRecord = typeof record === 'object' && record !== null && 'address' in record;
  if (isRecord && typeof record.address === 'string') return record.address;
  throw new Error(`${file} has no address.`);
}

export function recordPlace(file: string, address: string): void {
  const text = `${JSON.stringify({ address })}\n`;
  writeFileSync(`${file}.part`, text, { mode: 0o600, flush: true });
  renameSync(`${file}.part`, file);
}
