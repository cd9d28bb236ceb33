/** A handler for formats that have their facts in the texts of elements. It gets each text when its element is closed. */
import { BoundedText } from '../text/bounded-text.ts';
import type { XmlAttributes, XmlHandler } from './xml-reader.ts';

/** `parent` is the name of the element around this one; empty for the root. */
export interface ElementHandler {
  /** True if the text of the element is wanted. */
  open(name: string, attributes: XmlAttributes, parent: string): boolean;
  /** `text` is empty unless requested; it excludes texts of inner elements. */
  close(name: string, text: string, parent: string): void;
}

interface OpenElement {
  readonly name: string;
  readonly text: BoundedText | null;
}

export function xmlHandlerOf(handler: ElementHandler): XmlHandler {
  const elements: OpenElement[] = [];
  let current: OpenElement | null = null;
  return {
    open(name, attributes) {
      const isWanted = handler.open(name, attributes, current?.name ?? '');
      current = { name, text: isWanted ? new BoundedText() : null };
      elements.push(current);
    },
    close(name) {
      const ended = elements.pop();
      current = elements.at(-1) ?? null;
      handler.close(name, ended?.text?.value ?? '', current?.name ?? '');
    },
    text: (text) => current?.text?.add(text),
    wantsText: () => current?.text?.isFull === false,
  };
}
