/** HTML as text that was escaped: the only way from a text to a page. */
import { dictionary } from '@tutti/manifests';

export interface Markup {
  readonly markup: string;
}

type Content = string | number | Markup | null | readonly Content[];

const ENTITIES: Readonly<Record<string, string>> = dictionary<string>({
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
});

// Characters that no document may have, and characters without a visible form.
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const FORBIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\ufffe\uffff]/g;

// These characters turn the direction of the text beside them: a name could look like another one.
const TURNING = /\p{Bidi_Control}/gu;

/** A text whose signs stand in the order in which they are shown. */
export function inOrder(text: string): string {
  return text.replace(TURNING, (character) => {
    const code = character.charCodeAt(0).toString(16).toUpperCase();
    return `\\u${code.padStart(4, '0')}`;
  });
}

export function escapeMarkup(text: string): string {
  return inOrder(text)
    .toWellFormed()
    .replace(FORBIDDEN, '\ufffd')
    .replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}

/** Escapes every value that is not markup itself; null is nothing. Attribute values must stand in double quotes. */
export function html(parts: TemplateStringsArray, ...values: readonly Content[]): Markup {
  const pieces = parts.map(
    (part, index) => part + (index < values.length ? written(values[index] ?? null) : ''),
  );
  return { markup: pieces.join('') };
}

function written(content: Content): string {
  if (content === null) return '';
  if (typeof content === 'string') return escapeMarkup(content);
  if (typeof content === 'number') return String(content);
  return 'markup' in content ? content.markup : content.map(written).join('');
}

/** JSON that no end of a script element can stand in. */
export function scriptJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[<\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/**
 * Text of an element with raw content. Only pieces that would end the element, or hide its end, are changed. In texts, of which such places
 * are nearly always a part, the escapes mean the same.
 */
export function rawText(text: string, element: 'style' | 'script'): Markup {
  // As a browser reads it, or the hash that allows it would be another one.
  const lines = text.toWellFormed().replaceAll('\0', '\ufffd').replace(/\r\n?/g, '\n');
  const markup =
    element === 'style'
      ? lines.replace(/<(?=\/style)/gi, '\\3c ')
      : lines.replace(/<(?=\/script|!--)/gi, '\\x3C');
  return { markup };
}
