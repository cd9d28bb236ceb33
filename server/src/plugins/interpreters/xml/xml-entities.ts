/** References in XML text: the predefined ones, and characters by number. Entities of a document are never expanded. */
import { OrchestratorError } from '@tutti/manifests';

/** Longest reference in characters; longer ones are text. */
export const REFERENCE_LENGTH_MAX = 64;

const REFERENCE = /&(?:#x([0-9a-f]{1,8})|#([0-9]{1,8})|([a-z_][\w.-]{0,61}));/gi;
const KNOWN: ReadonlyMap<string, string> = new Map([
  ['lt', '<'],
  ['gt', '>'],
  ['amp', '&'],
  ['quot', '"'],
  ['apos', "'"],
]);

/** The text with its references replaced. An `&` without a reference stays, as a writer who forgot to escape it means. */
export function resolveReferences(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(REFERENCE, (_all, hex?: string, decimal?: string, name?: string) => {
    if (name !== undefined) return entity(name);
    return hex === undefined ? character(Number(decimal)) : character(Number.parseInt(hex, 16));
  });
}

/** Start of an incomplete reference at the end; without one, the length of the text. */
export function incompleteReference(text: string): number {
  const at = text.lastIndexOf('&');
  const isOpen = at >= 0 && text.length - at < REFERENCE_LENGTH_MAX && !text.includes(';', at);
  return isOpen ? at : text.length;
}

function entity(name: string): string {
  const text = KNOWN.get(name);
  if (text === undefined) throw new OrchestratorError('Invalid', 'undefined entity');
  return text;
}

function character(code: number): string {
  const isScalar = code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
  return isScalar ? String.fromCodePoint(code) : '\ufffd';
}
