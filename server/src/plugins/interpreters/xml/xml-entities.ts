/** References in XML text: those that XML itself knows, and characters by number. Entities of a document are never expanded. */
import { OrchestratorError } from '@tutti/manifests';

/** A reference is not longer than this, in characters; what looks like a longer one is text. */
export const REFERENCE_LENGTH_MAX = 64;

const REFERENCE = /&(?:#x([0-9a-f]{1,8})|#([0-9]{1,8})|([a-z_][\w.-]{0,61}));/gi;
const KNOWN: ReadonlyMap<string, string> = new Map([
  ['lt', '<'],
  ['gt', '>'],
  ['amp', '&'],
  ['quot', '"'],
  ['apos', "'"],
]);

/** The text with its references replaced. An `&` that begins none stands for itself, as writers who forget to escape it mean. */
export function resolveReferences(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(REFERENCE, (_all, hex?: string, decimal?: string, name?: string) => {
    if (name !== undefined) return entity(name);
    return hex === undefined ? character(Number(decimal)) : character(Number.parseInt(hex, 16));
  });
}

/** Where a reference may begin that is not complete yet; the length of the text if there is none. */
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
