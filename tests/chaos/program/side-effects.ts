/** The lines that steps wrote to the ledger, in order. */
import { readFile } from 'node:fs/promises';

export interface Effects {
  readonly starts: number;
  readonly ends: number;
  /** Places of its first and its last start among all lines. */
  readonly firstStart: number;
  readonly lastStart: number;
  /** `NAME=VALUE` of what it told. */
  readonly infos: ReadonlyMap<string, string>;
}

export type Ledger = ReadonlyMap<string, Effects>;

const LINE = /^(START|END|INFO) (\S+)(?: ([^=]+)=(.*))?$/;

export async function readLedger(file: string): Promise<Ledger> {
  const text = await readFile(file, 'utf8');
  const ledger = new Map<string, Effects>();
  for (const [place, line] of text.split('\n').entries()) {
    const [, word, mark, name, value] = LINE.exec(line) ?? [];
    if (mark === undefined) continue;
    ledger.set(mark, withLine(ledger.get(mark) ?? NONE, place, { word, name, value }));
  }
  return ledger;
}

const NONE: Effects = {
  starts: 0,
  ends: 0,
  firstStart: Number.POSITIVE_INFINITY,
  lastStart: -1,
  infos: new Map(),
};

interface Line {
  readonly word: string | undefined;
  readonly name: string | undefined;
  readonly value: string | undefined;
}

function withLine(effects: Effects, place: number, { word, name, value }: Line): Effects {
  if (word === 'END') return { ...effects, ends: effects.ends + 1 };
  if (word === 'INFO') {
    return { ...effects, infos: new Map([...effects.infos, [String(name), String(value)]]) };
  }
  return {
    ...effects,
    starts: effects.starts + 1,
    firstStart: Math.min(effects.firstStart, place),
    lastStart: place,
  };
}
