/**
 * Finds masked texts in a line, however they are written: as quoted by shells and JSON (`writtenForms`), encoded for URLs, XML and JSON
 * within JSON, as hexadecimal digits or Base64, and with colour codes in between. In time linear in the line.
 */
import {
  base64RunAt,
  base64Views,
  bytesOf,
  hexRunAt,
  hexViews,
  jsonView,
  rangeIn,
  strippedView,
  type TextView,
  urlView,
  xmlView,
} from './decoded-views.ts';
import { createStartFilter, type StartFilter } from './start-filter.ts';
import { createTextFinder, type TextFinder, type TextRange } from './text-finder.ts';
import { writtenForms } from './written-forms.ts';

/** How often JSON may stand in JSON. */
const JSON_LEVELS = 2;
/** Shorter masks are looked for as they are alone: their digits, or signs of Base64, stand in many other texts. */
const ENCODED_BYTES_MIN = 4;
const HEAD_LENGTH = 4;

/** Ranges may overlap, and come in no order. */
export function createMaskFinder(masks: readonly string[]): TextFinder {
  return new MaskFinder(masks);
}

class MaskFinder implements TextFinder {
  readonly #texts: TextFinder;
  /** The same for texts of which each code unit is a byte. */
  readonly #bytes: TextFinder;
  readonly #hasBlanks: boolean;
  readonly #encodedHeads: EncodedHeads;

  constructor(masks: readonly string[]) {
    const forms = masks.flatMap(writtenForms);
    const long = forms.map(bytesOf).filter(({ length }) => length >= ENCODED_BYTES_MIN);
    this.#texts = createTextFinder(forms);
    const isSame = long.length === forms.length && long.every((form, at) => form === forms[at]);
    this.#bytes = isSame ? this.#texts : createTextFinder(long);
    this.#hasBlanks = masks.some((mask) => mask.includes(' '));
    this.#encodedHeads = new EncodedHeads(long);
  }

  find(text: string): readonly TextRange[] {
    return this.#find(text, JSON_LEVELS);
  }

  findBeginnings(...[text, mark, lengthMin]: Parameters<TextFinder['findBeginnings']>) {
    return this.#texts.findBeginnings(text, mark, lengthMin);
  }

  #find(text: string, jsonLevels: number): readonly TextRange[] {
    const plain = this.#texts.find(text);
    const stripped = strippedView(text);
    if (stripped === null) return [...plain, ...this.#encoded(text, jsonLevels)];
    const inside = [
      ...this.#texts.find(stripped.text),
      ...this.#encoded(stripped.text, jsonLevels),
    ];
    return [...plain, ...inside.map((range) => rangeIn(stripped, range))];
  }

  #encoded(text: string, jsonLevels: number): readonly TextRange[] {
    const json = jsonLevels === 0 ? null : jsonView(text);
    return [
      ...findIn(json, (inner) => this.#find(inner, jsonLevels - 1)),
      ...findIn(xmlView(text), (inner) => this.#texts.find(inner)),
      ...findIn(urlView(text, this.#hasBlanks), (inner) => this.#bytes.find(inner)),
      ...[...this.#encodedHeads.views(text)].flatMap((view) =>
        findIn(view, (inner) => this.#bytes.find(inner)),
      ),
    ];
  }
}

function findIn(
  view: TextView | null,
  find: (text: string) => readonly TextRange[],
): readonly TextRange[] {
  return view === null ? [] : find(view.text).map((range) => rangeIn(view, range));
}

/** How the first bytes of each mask are encoded: nearly every line has none of these, and then nothing is decoded. */
class EncodedHeads {
  readonly #base64: ReadonlySet<string>;
  readonly #hex: ReadonlySet<string>;
  readonly #filter: StartFilter;

  constructor(masks: readonly string[]) {
    const base64 = masks.flatMap(base64Heads);
    this.#base64 = new Set([...base64, ...base64.map(forUrls)]);
    this.#hex = new Set(masks.flatMap(hexHeads));
    this.#filter = createStartFilter([...this.#base64, ...this.#hex]);
  }

  *views(text: string): Iterable<TextView> {
    if (this.#base64.size === 0) return;
    const done = { base64: 0, hex: 0 };
    let at = this.#filter.next(text, 0);
    for (; at < text.length; at = this.#filter.next(text, at + 1)) {
      const head = text.slice(at, at + HEAD_LENGTH);
      if (at >= done.base64 && this.#base64.has(head)) {
        const run = base64RunAt(text, at);
        yield* base64Views(text, run);
        done.base64 = run.end;
      }
      if (at >= done.hex && this.#hex.has(head)) {
        const run = hexRunAt(text, at);
        yield* hexViews(text, run);
        done.hex = run.end;
      }
    }
  }
}

/** By the number of bytes of a group of three that stand before a mask. */
const OFFSETS = [
  { before: '', skipped: 0 },
  { before: '\0', skipped: 2 },
  { before: '\0\0', skipped: 3 },
];

/** Signs that depend on the mask alone. `mask`: one code unit for each byte. */
const base64Heads = (mask: string): readonly string[] =>
  OFFSETS.map(({ before, skipped }) =>
    btoa(before + mask.slice(0, ENCODED_BYTES_MIN)).slice(skipped, skipped + HEAD_LENGTH),
  );

const forUrls = (head: string): string => head.replaceAll('+', '-').replaceAll('/', '_');

function hexHeads(mask: string): readonly string[] {
  const [first = '', second = ''] = [0, 1].map((at) =>
    mask.charCodeAt(at).toString(16).padStart(2, '0'),
  );
  const heads = ['', ' ', ':'].map((between) =>
    `${first}${between}${second}`.slice(0, HEAD_LENGTH),
  );
  return [...heads, ...heads.map((head) => head.toUpperCase())];
}
