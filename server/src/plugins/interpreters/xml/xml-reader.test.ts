import { isOrchestratorError } from '@tutti/manifests';
import fc from 'fast-check';
import { SaxesParser } from 'saxes';
import { describe, expect, test } from 'vitest';
import { XmlReader } from './xml-reader.ts';

interface Reading {
  /** Elements, attributes and texts as they came, texts that touch as one. */
  readonly tokens: readonly string[];
  readonly error: string | null;
}

function read(pieces: Iterable<string>, depthMax = 50): Reading {
  const tokens: string[] = [];
  const reader = new XmlReader(
    { roots: ['x'], attributes: ['a', 'b'], depthMax },
    {
      open: (name, attributes) => {
        const shownBy = [...attributes].map(([key, value]) => ` ${key}=${value}`).join('');
        tokens.push(`<${name}${shownBy}>`);
      },
      close: (name) => tokens.push(`</${name}>`),
      text: (text) => addText(tokens, text),
      wantsText: () => true,
    },
  );
  try {
    for (const piece of pieces) reader.write(piece);
    reader.end();
    return { tokens, error: null };
  } catch (error) {
    if (!isOrchestratorError(error)) throw error;
    return { tokens, error: error.message };
  }
}

/** Texts have a mark in front, so that none looks like a tag. */
function addText(tokens: string[], text: string): void {
  const last = tokens.at(-1);
  if (last?.startsWith('"')) tokens[tokens.length - 1] = last + text;
  else if (text !== '' && tokens.length > 0) tokens.push(`"${text}`);
}

const inPieces = (text: string, size: number): readonly string[] =>
  Array.from({ length: Math.ceil(text.length / size) }, (_, index) =>
    text.slice(index * size, (index + 1) * size),
  );

describe('a document', () => {
  test.each<[string, string, readonly string[]]>([
    ['elements and attributes', '<x a="1" c="2" b = \'&lt;"\'/>', ['<x a=1 b=<">', '</x>']],
    ['prefixes of names', '<p:x q:a="1"></p:x>', ['<x a=1>', '</x>']],
    ['a `>` in an attribute', '<x a="1>2">t</x>', ['<x a=1>2>', '"t', '</x>']],
    ['the first of two attributes of one name', '<x a="1" a="2"/>', ['<x a=1>', '</x>']],
    ['references', '<x>&amp;&#65;&#x263A;&#xd800;&#0;</x>', ['<x>', '"&A☺\ufffd\u0000', '</x>']],
    ['an `&` that nobody escaped', '<x a="a&b">R&D & more; &</x>', ['<x a=a&b>', '"R&D & more; &', '</x>']],
    ['CDATA', '<x><![CDATA[x<y>]] ]>]]></x>', ['<x>', '"x<y>]] ]>', '</x>']],
    ['comments and instructions', '<?xml?><!-- <y> --><x>1<!--2-->3<?y > ?></x ><!-- -->', ['<x>', '"13', '</x>']],
    ['a DOCTYPE with declarations', `<!DOCTYPE x [<!ENTITY e "]>"><!-- don't ]> -->]><x/>`, ['<x>', '</x>']],
  ])('may have %s', (_what, xml, tokens) => {
    for (const size of [1, 2, 3, 1000]) {
      expect(read(inPieces(xml, size))).toEqual({ tokens, error: null });
    }
  }); // biome-ignore format: a table

  test.each<[string, string, string]>([
    ['an element that goes on', '<x><y>', 'unclosed tag: y'],
    ['a tag that goes on', '<x a="1"', 'unclosed tag: x'],
    ['a comment that goes on', '<x><!-- ', 'unclosed comment'],
    ['elements that cross', '<x><y></x></y>', 'unexpected close tag, expected </y>'],
    ['a second root', '<x/><y/>', 'documents may contain only one root'],
    ['text behind the root', '<x/>text', 'text data outside of root node'],
    ['a close tag without begin', '</x>', 'unexpected close tag'],
    ['an attribute without value', '<x a b="1"/>', 'an attribute without value'],
    ['an attribute without quotes', '<x a=1/>', 'unquoted attribute value'],
    ['an attribute without name', '<x ="1"/>', 'an attribute without name'],
    ['a `<` that nobody escaped', '<x>1 < 2</x>', 'disallowed character in tag name'],
    ['an entity of its own', '<x>&y;</x>', 'undefined entity'],
    ['a declaration in the wrong place', '<x><!DOCTYPE x></x>', 'inappropriately located doctype declaration'],
  ])('may not have %s', (_what, xml, error) => {
    for (const size of [1, 2, 3, 1000]) expect(read(inPieces(xml, size)).error).toBe(error);
  }); // biome-ignore format: a table
});

describe('a hostile document', () => {
  function* many(head: string, part: string, count: number): Generator<string> {
    yield head;
    for (let index = 0; index < count; index += 1) yield part;
  }
  const filler = 'x'.repeat(64 * 1024);

  test.each<[string, Iterable<string>, string]>([
    ['elements in elements, a million times', many('', '<x>', 1_000_000), 'more than 50 nested elements'],
    ['a million attributes', many('<x', ' a="1"', 1_000_000), 'more than 1000 attributes'],
    ['a name without end', many('<', filler, 1000), 'a name is too long'],
    ['a close tag without end', many('<x></x', filler, 1000), 'a name is too long'],
    ['a name of an attribute without end', many('<x ', filler, 1000), 'a name is too long'],
    ['a DOCTYPE without end', many('<!DOCTYPE ', filler, 1000), 'a DOCTYPE of more than 65536 characters'],
    ['entities of entities', ['<!DOCTYPE x [<!ENTITY a "1"><!ENTITY b "&a;&a;">]><x>', '&b;</x>'], 'undefined entity'],
    ['64 MiB in one attribute', many('<x a="', filler, 1000), 'unclosed tag: x'],
    ['64 MiB in one comment', many('<x><!--', filler, 1000), 'unclosed comment'],
    ['64 MiB of blanks in a tag', many('<x ', ' '.repeat(64 * 1024), 1000), 'unclosed tag: x'],
    ['blanks without end behind a name', many('<x a', ' '.repeat(64 * 1024), 1000), 'an attribute without value'],
  ])('with %s is refused', (_what, pieces, error) => {
    expect(read(pieces).error).toBe(error);
  }); // biome-ignore format: a table

  test('keeps a bounded part of an attribute', () => {
    const { tokens, error } = read(['<x a="', ...many('', filler, 10), '"/>']);
    expect(error).toBeNull();
    expect(tokens[0]).toHaveLength(32 * 1024 + '<x a=>'.length);
  });
});

/** Tokens that a conforming parser finds in a document; null if it refuses it. */
function byTheBook(xml: string): readonly string[] | null {
  const tokens: string[] = [];
  const parser = new SaxesParser();
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', ({ name, attributes }) => {
    const shownBy = ['a', 'b'].flatMap((key) =>
      attributes[key] === undefined ? [] : [` ${key}=${attributes[key]}`],
    );
    tokens.push(`<${name}${shownBy.join('')}>`);
  });
  parser.on('closetag', ({ name }) => tokens.push(`</${name}>`));
  parser.on('text', (text) => addText(tokens, text));
  parser.on('cdata', (text) => addText(tokens, text));
  try {
    parser.write(xml).close();
    return tokens;
  } catch {
    return null;
  }
}

test('a document that is correct by the book is read as a parser by the book reads it', () => {
  const part = fc.constantFrom(
    '<x>', '<x>', '</x>', '</x>', '<y a="1" b=\'2\'>', '</y>', '<x/>', '<!-- c -->', '<![CDATA[1<&]]>', '&lt;', '&#65;', 'text',
    ' ', '<?p i?>', ']', '<!DOCTYPE x>',
  ); // biome-ignore format: one list of pieces
  fc.assert(
    fc.property(
      fc.array(part, { maxLength: 12 }),
      fc.integer({ min: 1, max: 9 }),
      (parts, size) => {
        const xml = `<x>${parts.join('')}</x>`;
        const expected = byTheBook(xml);
        fc.pre(expected !== null);
        const shown = (tokens: readonly string[]) =>
          tokens.map((token) => token.trim()).filter((token) => token !== '"');
        const { tokens, error } = read(inPieces(xml, size));
        expect(error).toBeNull();
        expect(shown(tokens)).toEqual(shown(expected ?? []));
      },
    ),
    { numRuns: 500 },
  );
});
