/** Lines with a level, as servers write them into output: `ERROR,Could not read a.xml` (`::error::` and messages of the server). */
const LEVELS = { ERROR: 'bad', WARNING: 'warning', DEBUG: 'quiet' } as const;
const LEVELED = /^(ERROR|WARNING|DEBUG),(?=\S)/;

export interface LeveledText {
  /** Null for a line without a level. */
  readonly tone: (typeof LEVELS)[keyof typeof LEVELS] | null;
  /** Without the level. */
  readonly text: string;
}

export function leveledText(line: string): LeveledText {
  const [begin = '', level] = LEVELED.exec(line) ?? [];
  const tone = level === undefined ? null : LEVELS[level as keyof typeof LEVELS];
  return { tone, text: line.slice(begin.length) };
}
