/**
 * YAML that readers of version 1.1 (PyYAML, Ruby, SnakeYAML) and of 1.2 read as the same data. In version 1.1, many plain words are no
 * texts. `yes` and `off` are booleans, `12:30` and `1_000` are numbers, `2001-01-01` is a date. And it allows fewer plain characters.
 */
import type { ScalarTag, Tags } from 'yaml';
import type { YamlLibrary } from './yaml-reader.ts';

/** The caller passes the library, as few callers need it. */
export function portableYaml({ stringify }: Pick<YamlLibrary, 'stringify'>, data: unknown): string {
  // Long texts stay on one line: a folded text is harder to find.
  return stringify(data, { lineWidth: 0, customTags: withPortableTexts });
}

const TEXT = 'tag:yaml.org,2002:str';
const NUMBERS: readonly string[] = ['tag:yaml.org,2002:float', 'tag:yaml.org,2002:int'];

const withPortableTexts = (tags: Tags): Tags =>
  tags.map((tag) => {
    if (typeof tag === 'string' || tag.collection !== undefined) return tag;
    if (tag.tag === TEXT) return portableText(tag);
    return NUMBERS.includes(tag.tag) ? portableNumber(tag) : tag;
  });

function portableText(tag: ScalarTag): ScalarTag {
  return {
    ...tag,
    stringify(item, context, ...more) {
      const text = String(item.value);
      if (isPlain(text)) return text;
      const isBlock = context.implicitKey !== true && isWritable(text);
      if (!isBlock) return quoted(text);
      item.type = 'BLOCK_LITERAL';
      return tag.stringify?.(item, context, ...more) ?? quoted(text);
    },
  };
}

function portableNumber(tag: ScalarTag): ScalarTag {
  return {
    ...tag,
    stringify(item, ...more) {
      const text = tag.stringify?.(item, ...more) ?? String(item.value);
      return text.replace(/^(-?\d+)e/, '$1.0e');
    },
  };
}

/** Words that some reader does not take for a text. All other texts that begin with a letter are safe. */
const WORDS = /^(?:y|yes|n|no|on|off|true|false|null)$/i;
const PLAIN = /^\p{L}(?:[\p{L}\p{M}\p{N}_./@+=?-]|:(?=[^\s:])| (?=[\p{L}\p{N}]))*$/u;

const isPlain = (text: string): boolean => PLAIN.test(text) && !WORDS.test(text);

/** True for a text of several lines that can be a block. Its first line sets the indentation, and no character needs an escape. */
const isWritable = (text: string): boolean => /^\S.*\n/.test(text) && !ESCAPED.test(text);

/** Characters that readers of 1.1 refuse, or take for ends of lines. */
const ESCAPED =
  /[^\t\n -~\u00a0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\u{10000}-\u{10ffff}]/u;

/** A JSON text in which characters are escaped that JSON would leave alone. */
function quoted(text: string): string {
  return JSON.stringify(text).replace(new RegExp(ESCAPED, 'gu'), escaped);
}

const escaped = (character: string): string =>
  `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
