/** Colours of lines that a user has chosen, in the form of existing clients: `out=32:err=1;31`. */
import type { Tone } from '@tutti/run-view';

/** Parameters of the escape sequence that begins the colour, as `1;31`. */
export type LineColors = Readonly<Partial<Record<Tone, string>>>;

/** Names that existing clients give to kinds of lines. Their other kinds do not exist here. */
const TONES: Readonly<Record<string, Tone>> = {
  ttl: 'plain',
  run: 'step',
  out: 'output',
  err: 'bad',
  att: 'file',
};

const ENTRY = /^\s*([a-z]+)\s*=\s*(\d{1,3}(?:;\d{1,3})*)\s*$/;

/** Null for other forms. */
export function readLineColors(text: string): LineColors | null {
  const entries = text.split(':').map((entry) => ENTRY.exec(entry));
  if (entries.some((entry) => entry === null)) return null;
  return Object.fromEntries(
    entries.flatMap((entry) => {
      const [, name = '', code] = entry ?? [];
      const tone = Object.hasOwn(TONES, name) ? TONES[name] : undefined;
      return tone === undefined ? [] : [[tone, code]];
    }),
  );
}
