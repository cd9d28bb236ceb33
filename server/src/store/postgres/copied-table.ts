/**
 * Copies rows of another store into a table, in portions. Counts and checksums of what was sent and of what the database has must be the same.
 * The checksum of a table is the sum of those of its rows, so that their order does not matter.
 */
import { hash } from 'node:crypto';
import type { Client } from 'pg';
import { type Parameter, query } from './connection.ts';

type Type = 'uuid' | 'int' | 'bigint' | 'text' | 'boolean' | 'bytea' | 'float8';

type Cell = string | number | boolean | Uint8Array | null;

export type CopiedRow = readonly Cell[];

export interface CopiedTable {
  readonly name: string;
  /** In the order of the cells of a row. */
  readonly columns: Readonly<Record<string, Type>>;
  readonly rows: () => Iterable<CopiedRow>;
}

/** Content of a table, as two stores compare it. */
export interface TableSum {
  readonly rows: number;
  readonly checksum: bigint;
}

/** A portion is complete with either of them. */
const PORTION = { rows: 2_000, bytes: 4 * 1024 * 1024 } as const;

/** Throws where the signal says so, between two portions. */
export async function copyRows(
  client: Client,
  table: CopiedTable,
  signal: AbortSignal,
): Promise<TableSum> {
  const sum = new RowSum(table);
  let portion: CopiedRow[] = [];
  let bytes = 0;
  const send = async () => {
    signal.throwIfAborted();
    await insert(client, table, portion);
    portion = [];
    bytes = 0;
  };
  for (const row of table.rows()) {
    bytes += sum.add(row);
    portion.push(row);
    if (portion.length >= PORTION.rows || bytes >= PORTION.bytes) await send();
  }
  if (portion.length > 0) await send();
  return sum.sum;
}

/** The same sum of the rows alone. */
export function sumRows(table: CopiedTable, signal: AbortSignal): TableSum {
  const sum = new RowSum(table);
  for (const row of table.rows()) {
    sum.add(row);
    if (sum.sum.rows % PORTION.rows === 0) signal.throwIfAborted();
  }
  return sum.sum;
}

/** The sum of what the database has. No row goes over the network. */
export async function storedSum(client: Client, { name, columns }: CopiedTable): Promise<TableSum> {
  const texts = Object.entries(columns).map(
    ([column, type]) => `coalesce(${TEXTS[type](column)}, '${ABSENT}')`,
  );
  const digest = `encode(sha256(convert_to(${texts.join(` || '${BETWEEN}' || `)}, 'UTF8')), 'hex')`;
  const [found] = await query<{ readonly rows: number; readonly checksum: string }>(
    client,
    `SELECT count(*) AS rows, coalesce(sum(('x' || substr(${digest}, 1, ${DIGITS}))::bit(60)::bigint), 0)::text AS checksum FROM ${name}`,
  );
  return { rows: found?.rows ?? 0, checksum: BigInt(found?.checksum ?? 0) };
}

/** Characters that texts of the database do not have as such. */
const ABSENT = '\x1e';
const BETWEEN = '\x1f';
/** 60 bits of a digest fit a `bigint`. */
const DIGITS = 15;

const TEXTS: Readonly<Record<Type, (column: string) => string>> = {
  uuid: (column) => `${column}::text`,
  int: (column) => `${column}::text`,
  bigint: (column) => `${column}::text`,
  text: (column) => column,
  boolean: (column) => `${column}::int::text`,
  bytea: (column) => `encode(${column}, 'hex')`,
  // Digits of fractions are printed in several ways.
  float8: (column) => `encode(float8send(${column}), 'hex')`,
};

class RowSum {
  readonly #types: readonly Type[];
  #rows = 0;
  #checksum = 0n;

  constructor({ columns }: CopiedTable) {
    this.#types = Object.values(columns);
  }

  get sum(): TableSum {
    return { rows: this.#rows, checksum: this.#checksum };
  }

  /** Answers about how many bytes the row has. */
  add(row: CopiedRow): number {
    const text = row.map((cell, index) => textOf(cell, this.#types[index])).join(BETWEEN);
    this.#rows += 1;
    this.#checksum += BigInt(`0x${hash('sha256', text).slice(0, DIGITS)}`);
    return text.length;
  }
}

function textOf(cell: Cell, type: Type | undefined): string {
  if (cell === null) return ABSENT;
  if (cell instanceof Uint8Array) return bufferOf(cell).toString('hex');
  if (typeof cell === 'boolean') return cell ? '1' : '0';
  if (type === 'uuid') return String(cell).toLowerCase();
  if (type !== 'float8') return String(cell);
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleBE(Number(cell));
  return bytes.toString('hex');
}

const bufferOf = (bytes: Uint8Array): Buffer =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

async function insert(
  client: Client,
  { name, columns }: CopiedTable,
  rows: readonly CopiedRow[],
): Promise<void> {
  const lists = Object.values(columns).map((type, index) => `$${index + 1}::${type}[]`);
  const parameters: Parameter[] = lists.map((_, index) =>
    rows.map((row) => {
      const cell = row[index] ?? null;
      return cell instanceof Uint8Array ? bufferOf(cell) : cell;
    }),
  );
  await query(
    client,
    `INSERT INTO ${name} (${Object.keys(columns).join(', ')}) OVERRIDING SYSTEM VALUE
     SELECT * FROM unnest(${lists.join(', ')})`,
    parameters,
  );
}
