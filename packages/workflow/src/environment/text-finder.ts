/**
 * Finds many texts in another one in a single pass (the automaton of Aho and Corasick). The time is linear in the length of the searched
 * text, however many texts there are.
 */

import type { Steps } from '@tutti/manifests';
import { createStartFilter, type StartFilter } from './start-filter.ts';

export interface TextRange {
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
}

/** The end of a text that one of the texts may begin with. */
export interface OpenEnd {
  readonly start: number;
  /** Some of the texts that begin so. */
  readonly texts: readonly string[];
}

export interface Found {
  readonly ranges: readonly TextRange[];
  readonly open: OpenEnd | null;
}

/** Open ends that are kept of texts with the same beginning; few texts share one. */
const OPEN_TEXTS_MAX = 4;

export interface TextFinder {
  /** Ranges of the texts that were found; ranges that overlap are one. */
  find(text: string): readonly TextRange[];
  /** Also finds the longest end of the text, of `openMin` characters or more, that any of the texts begins with. */
  search(text: string, openMin: number): Found;
  /** Finds beginnings of the texts, of `lengthMin` characters or more, that end right before a mark. */
  findBeginnings(text: string, mark: string, lengthMin: number): readonly TextRange[];
}

const CODE_UNITS = 0x10000;

/** Characters of the texts, and nodes, of one step: less than a millisecond. */
const STEP_LENGTH = 8 * 1024;

/** None of the texts may be empty. */
export function* textFinderSteps(texts: readonly string[]): Steps<TextFinder> {
  const trie = new Trie(texts.reduce((sum, { length }) => sum + length, 1));
  let length = 0;
  for (const text of texts) {
    trie.add(text);
    length += text.length;
    if (length < STEP_LENGTH) continue;
    length = 0;
    yield;
  }
  return new Automaton(trie, yield* linkSteps(trie), createStartFilter(texts), texts);
}

/** Stands for the child of a node without children. */
const NONE = 0;

/**
 * The texts as a tree of code units; node 0 is the root. Most nodes have one child, which is found without a map. A tree of a mebibyte of
 * text takes some hundredths of a second to make.
 */
class Trie {
  readonly depths: Int32Array;
  readonly isEnd: Uint8Array;
  /** Number of nodes. */
  size = 1;
  readonly parents: Int32Array;
  /** Code unit of the edge from the parent. */
  readonly codes: Uint16Array;
  readonly #firstChildren: Int32Array;
  /** Code unit of the edge to the first child. */
  readonly #firstCodes: Uint16Array;
  /** `node * CODE_UNITS + code unit` to the other children. */
  readonly #others = new Map<number, number>();

  constructor(sizeMax: number) {
    this.depths = new Int32Array(sizeMax);
    this.isEnd = new Uint8Array(sizeMax);
    this.parents = new Int32Array(sizeMax);
    this.codes = new Uint16Array(sizeMax);
    this.#firstChildren = new Int32Array(sizeMax);
    this.#firstCodes = new Uint16Array(sizeMax);
  }

  add(text: string): void {
    let node = 0;
    let at = 0;
    for (; at < text.length; at += 1) {
      const next = this.child(node, text.charCodeAt(at));
      if (next === NONE) break;
      node = next;
    }
    for (; at < text.length; at += 1) {
      this.#addChild(node, this.size, text.charCodeAt(at));
      node = this.size;
      this.size += 1;
    }
    this.isEnd[node] = 1;
  }

  /** `NONE` where there is none. */
  child(node: number, code: number): number {
    const first = this.#firstChildren[node] ?? NONE;
    if (first === NONE || this.#firstCodes[node] === code) return first;
    return this.#others.get(node * CODE_UNITS + code) ?? NONE;
  }

  #addChild(node: number, child: number, code: number): void {
    this.depths[child] = (this.depths[node] ?? 0) + 1;
    this.parents[child] = node;
    this.codes[child] = code;
    if (this.#firstChildren[node] !== NONE) {
      this.#others.set(node * CODE_UNITS + code, child);
      return;
    }
    this.#firstChildren[node] = child;
    this.#firstCodes[node] = code;
  }
}

interface Links {
  /** The node of the longest text that the node's text ends with and that some text begins with. */
  readonly failures: Int32Array;
  /** Length of the longest text that ends at the node; 0 when none does. */
  readonly longest: Int32Array;
}

function* linkSteps(trie: Trie): Steps<Links> {
  const { size, parents, codes, depths, isEnd } = trie;
  const failures = new Int32Array(size);
  const longest = new Int32Array(size);
  for (const [index, node] of byDepth(trie).entries()) {
    if (index % STEP_LENGTH === 0) yield;
    const parent = parents[node] ?? 0;
    const code = codes[node] ?? 0;
    const failure = parent === 0 ? 0 : follow(trie, failures, failures[parent] ?? 0, code);
    failures[node] = failure;
    longest[node] = isEnd[node] === 1 ? (depths[node] ?? 0) : (longest[failure] ?? 0);
  }
  return { failures, longest };
}

/** All nodes but the root, those near it first. */
function byDepth({ size, depths }: Trie): Int32Array {
  let deepest = 0;
  for (const depth of depths) deepest = Math.max(deepest, depth);
  /** By depth: where the next node of it is noted. */
  const places = new Int32Array(deepest + 2);
  for (let node = 1; node < size; node += 1) {
    const behind = (depths[node] ?? 0) + 1;
    places[behind] = (places[behind] ?? 0) + 1;
  }
  for (let depth = 1; depth < places.length; depth += 1) {
    places[depth] = (places[depth] ?? 0) + (places[depth - 1] ?? 0);
  }
  const nodes = new Int32Array(size - 1);
  for (let node = 1; node < size; node += 1) {
    const depth = depths[node] ?? 0;
    const place = places[depth] ?? 0;
    nodes[place] = node;
    places[depth] = place + 1;
  }
  return nodes;
}

function follow(trie: Trie, failures: Int32Array, from: number, code: number): number {
  for (let node = from; ; node = failures[node] ?? 0) {
    const next = trie.child(node, code);
    if (next !== NONE) return next;
    if (node === 0) return 0;
  }
}

class Automaton implements TextFinder {
  readonly #trie: Trie;
  readonly #links: Links;
  readonly #filter: StartFilter;
  readonly #texts: readonly string[];
  /** The texts in order, sorted when a beginning is found first. */
  #sorted: readonly string[] | null = null;

  constructor(trie: Trie, links: Links, filter: StartFilter, texts: readonly string[]) {
    this.#texts = texts;
    this.#trie = trie;
    this.#links = links;
    this.#filter = filter;
  }

  find(text: string): readonly TextRange[] {
    return this.search(text, Infinity).ranges;
  }

  search(text: string, openMin: number): Found {
    const { failures, longest } = this.#links;
    const ranges: TextRange[] = [];
    let node = 0;
    for (let at = this.#filter.next(text, 0); at < text.length; ) {
      node = follow(this.#trie, failures, node, text.charCodeAt(at));
      at += 1;
      const length = longest[node] ?? 0;
      if (length > 0) addRange(ranges, at - length, at);
      if (node === 0) at = this.#filter.next(text, at);
    }
    const start = text.length - (this.#trie.depths[node] ?? 0);
    const isOpen = text.length - start >= openMin;
    return {
      ranges,
      open: isOpen ? { start, texts: this.#beginningWith(text.slice(start)) } : null,
    };
  }

  #beginningWith(beginning: string): readonly string[] {
    this.#sorted ??= this.#texts.toSorted();
    let [low, high] = [0, this.#sorted.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#sorted[middle] ?? '') < beginning) low = middle + 1;
      else high = middle;
    }
    const near = this.#sorted.slice(low, low + OPEN_TEXTS_MAX);
    return near.filter((text) => text.startsWith(beginning));
  }

  findBeginnings(text: string, mark: string, lengthMin: number): readonly TextRange[] {
    const ranges: TextRange[] = [];
    let node = 0;
    let at = 0;
    // Without the filter, which passes over beginnings that are not followed by the rest.
    for (let end = text.indexOf(mark); end >= 0; end = text.indexOf(mark, end + 1)) {
      for (; at < end; at += 1) {
        node = follow(this.#trie, this.#links.failures, node, text.charCodeAt(at));
      }
      // The node is that of the longest beginning that ends here.
      const length = this.#trie.depths[node] ?? 0;
      if (length >= lengthMin) addRange(ranges, end - length, end);
    }
    return ranges;
  }
}

/** Ranges come in the order of their ends, so a new one can only swallow the last ones. */
function addRange(ranges: TextRange[], from: number, end: number): void {
  let start = from;
  for (let last = ranges.at(-1); last !== undefined && last.end > start; last = ranges.at(-1)) {
    start = Math.min(start, last.start);
    ranges.pop();
  }
  ranges.push({ start, end });
}
