/**
 * Finds many texts in another one in a single pass (the automaton of Aho and Corasick): the time is linear in the length of what is
 * searched, however many texts there are and whatever they have in common.
 */

import { createStartFilter, type StartFilter } from './start-filter.ts';

export interface TextRange {
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
}

export interface TextFinder {
  /** Where any of the texts stands; ranges that overlap are one. */
  find(text: string): readonly TextRange[];
  /** What stands right before a mark and is the beginning of any of the texts, with `lengthMin` characters or more. */
  findBeginnings(text: string, mark: string, lengthMin: number): readonly TextRange[];
}

const CODE_UNITS = 0x10000;

/** None of the texts may be empty. */
export function createTextFinder(texts: readonly string[]): TextFinder {
  const trie = createTrie(texts);
  const links = createLinks(trie);
  return new Automaton(trie, links, createStartFilter(texts));
}

/** Node 0 is the root. */
interface Trie {
  /** `node * CODE_UNITS + code unit` to the next node. */
  readonly edges: ReadonlyMap<number, number>;
  readonly parents: readonly number[];
  readonly codes: readonly number[];
  readonly depths: readonly number[];
  readonly isEnd: readonly boolean[];
}

function createTrie(texts: readonly string[]): Trie {
  const edges = new Map<number, number>();
  const parents = [0];
  const codes = [0];
  const depths = [0];
  const isEnd = [false];
  const step = (node: number, code: number): number => {
    const key = node * CODE_UNITS + code;
    const known = edges.get(key);
    if (known !== undefined) return known;
    edges.set(key, parents.length);
    codes.push(code);
    depths.push((depths[node] ?? 0) + 1);
    isEnd.push(false);
    return parents.push(node) - 1;
  };
  for (const text of texts) {
    let node = 0;
    for (let index = 0; index < text.length; index += 1) node = step(node, text.charCodeAt(index));
    isEnd[node] = true;
  }
  return { edges, parents, codes, depths, isEnd };
}

interface Links {
  /** The node of the longest text that the node's text ends with and that some text begins with. */
  readonly failures: Int32Array;
  /** Length of the longest text that ends at the node; 0 when none does. */
  readonly longest: Int32Array;
}

function createLinks({ edges, parents, codes, depths, isEnd }: Trie): Links {
  const failures = new Int32Array(parents.length);
  const longest = new Int32Array(parents.length);
  for (const node of byDepth(depths)) {
    const parent = parents[node] ?? 0;
    const code = codes[node] ?? 0;
    failures[node] = parent === 0 ? 0 : follow(edges, failures, failures[parent] ?? 0, code);
    longest[node] = isEnd[node] ? (depths[node] ?? 0) : (longest[failures[node] ?? 0] ?? 0);
  }
  return { failures, longest };
}

/** All nodes but the root, those near it first. */
function byDepth(depths: readonly number[]): readonly number[] {
  const levels: number[][] = [];
  for (const [node, depth] of depths.entries()) {
    const level = levels[depth];
    if (level === undefined) levels[depth] = [node];
    else level.push(node);
  }
  return levels.slice(1).flat();
}

function follow(
  edges: ReadonlyMap<number, number>,
  failures: Int32Array,
  from: number,
  code: number,
): number {
  for (let node = from; ; node = failures[node] ?? 0) {
    const next = edges.get(node * CODE_UNITS + code);
    if (next !== undefined) return next;
    if (node === 0) return 0;
  }
}

class Automaton implements TextFinder {
  readonly #edges: Trie['edges'];
  readonly #depths: Trie['depths'];
  readonly #links: Links;
  readonly #filter: StartFilter;

  constructor({ edges, depths }: Trie, links: Links, filter: StartFilter) {
    this.#edges = edges;
    this.#depths = depths;
    this.#links = links;
    this.#filter = filter;
  }

  find(text: string): readonly TextRange[] {
    const { failures, longest } = this.#links;
    const ranges: TextRange[] = [];
    let node = 0;
    for (let at = this.#filter.next(text, 0); at < text.length; ) {
      node = follow(this.#edges, failures, node, text.charCodeAt(at));
      at += 1;
      const length = longest[node] ?? 0;
      if (length > 0) addRange(ranges, at - length, at);
      if (node === 0) at = this.#filter.next(text, at);
    }
    return ranges;
  }

  findBeginnings(text: string, mark: string, lengthMin: number): readonly TextRange[] {
    const ranges: TextRange[] = [];
    let node = 0;
    let at = 0;
    // Without the filter, which passes over beginnings that are not followed by the rest.
    for (let end = text.indexOf(mark); end >= 0; end = text.indexOf(mark, end + 1)) {
      for (; at < end; at += 1) {
        node = follow(this.#edges, this.#links.failures, node, text.charCodeAt(at));
      }
      // The node is that of the longest beginning that ends here.
      const length = this.#depths[node] ?? 0;
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
