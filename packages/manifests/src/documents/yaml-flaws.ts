/** Mends a YAML document that has flaws and can still be read. Notes which values are unsure then. */
import type { Document, Node, Pair, ParsedNode, Scalar, YAMLMap } from 'yaml';
import { DOCUMENT_LIMITS } from './document-limits.ts';
import type { DocumentPath } from './problem.ts';
import { UnsurePlaces } from './unsure-places.ts';

type YamlLibrary = typeof import('yaml');
type ParsedDocument = Document.Parsed<ParsedNode>;

export interface YamlFlaw {
  readonly message: string;
  /** Offsets in the text. */
  readonly range: readonly [start: number, end: number];
}

/** The merge key. It may occur several times in a map. */
const MERGE_KEY = '<<';
const PROTOTYPE = '__proto__';
/** A tag that only means "a text". The library drops it: `! grep` would become `grep`. */
const LONE_TAG = '!';
const NEGATED = '"!" begins a tag in YAML, put the whole text in quotes';

/** Finds repeated or forbidden keys, numbers that lose digits, and tags that change a meaning. */
export function yamlFlaws(yaml: YamlLibrary, document: ParsedDocument): readonly YamlFlaw[] {
  const flaws: YamlFlaw[] = [];
  const report = ({ range }: Node, message: string) => {
    flaws.push({ message, range: [range?.[0] ?? 0, range?.[1] ?? 0] });
  };
  yaml.visit(document, {
    Scalar: (_, scalar) => {
      const message = messageOfNumber(scalar) ?? (scalar.tag === LONE_TAG ? NEGATED : null);
      if (message !== null) report(scalar, message);
    },
    Map: (_, map) => {
      const seen = new Set<unknown>();
      for (const { key } of map.items) {
        if (!yaml.isScalar(key) || key.value === MERGE_KEY) continue;
        if (key.value === PROTOTYPE) report(key, `the key "${PROTOTYPE}" is not allowed`);
        else if (seen.has(key.value)) report(key, `the key "${String(key.value)}" is given twice`);
        seen.add(key.value);
      }
    },
  });
  return flaws;
}

const INTEGER = /^[-+]?\d+$/;

/** The message for integers that would lose digits, and for numbers that JSON lacks. It never shows the number, which may be a secret. */
function messageOfNumber({ value, source = '' }: Scalar): string | null {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return null;
  if (Number.isFinite(value) && !INTEGER.test(source)) return null;
  return Number.isNaN(value)
    ? 'this is no number that can be kept, write a number, or put it in quotes if it is a text'
    : 'this number is too large to be kept, put it in quotes if it is a text';
}

/**
 * Changes the document into one that can be read. Returns the places whose value may not be as the author wrote it. The first of two
 * equal keys counts; two maps become one. References to nothing become null. `tagsAt` has the offsets of unknown tags,
 * in the order of the text.
 */
export function mendYaml(
  yaml: YamlLibrary,
  document: ParsedDocument,
  tagsAt: readonly number[],
): UnsurePlaces {
  const mending = new Mending(yaml, taggedNodes(yaml, document, tagsAt));
  const contents = mending.mend(document.contents, [], false);
  document.contents = contents as typeof document.contents;
  return mending.unsure;
}

/** A tag belongs to the first node that begins behind it. */
function taggedNodes(
  yaml: YamlLibrary,
  document: ParsedDocument,
  tagsAt: readonly number[],
): ReadonlySet<Node> {
  const tagged = new Set<Node>();
  let met = 0;
  yaml.visit(document, {
    Node: (_, node) => {
      const before = met;
      while ((tagsAt[met] ?? Infinity) <= (node.range?.[0] ?? 0)) met += 1;
      if (met > before) tagged.add(node);
    },
  });
  return tagged;
}

class Mending {
  readonly unsure = new UnsurePlaces();
  readonly #yaml: YamlLibrary;
  readonly #tagged: ReadonlySet<Node>;
  /** Names of anchors before the current node. */
  readonly #anchors = new Set<string>();
  /** The null values that replace references to nothing. */
  readonly #nothing = new Set<object>();

  constructor(yaml: YamlLibrary, tagged: ReadonlySet<Node>) {
    this.#yaml = yaml;
    this.#tagged = tagged;
  }

  /** Returns the node, or its replacement. `isJoined`: the node has the entries of several maps. */
  mend(node: unknown, path: DocumentPath, isJoined: boolean): unknown {
    const { isAlias, isMap, isScalar, isSeq, isNode } = this.#yaml;
    // Later checks refuse values that are too deep.
    if (!isNode(node) || path.length > DOCUMENT_LIMITS.depth) return node;
    if (this.#tagged.has(node)) this.unsure.addValue(path);
    if (isAlias(node)) return this.#mendAlias(node, path);
    if ('anchor' in node && typeof node.anchor === 'string') this.#anchors.add(node.anchor);
    if (isMap(node)) this.#mendMap(node, path, isJoined);
    else if (isSeq(node)) {
      node.items = node.items.map((item, index) => this.mend(item, [...path, index], false));
    } else if (isScalar(node) && (messageOfNumber(node) !== null || node.tag === LONE_TAG)) {
      this.unsure.addValue(path);
    }
    return node;
  }

  #mendAlias(alias: { source: string; range?: Node['range'] }, path: DocumentPath): unknown {
    if (this.#anchors.has(alias.source)) return alias;
    this.unsure.addValue(path);
    const nothing = new this.#yaml.Scalar(null);
    nothing.range = alias.range ?? null;
    this.#nothing.add(nothing);
    return nothing;
  }

  #mendMap(map: YAMLMap, path: DocumentPath, isJoined: boolean): void {
    const groups = this.#byKey(map);
    map.items = groups.map(([first]) => first);
    for (const [first, ...others] of groups) {
      const own = [...path, keyOf(first)];
      const isOneMap = others.length > 0 && this.#joined(first, others);
      if (isOneMap) this.unsure.addMap(own);
      // The first of two values counts, which may be wrong. In a joined map this makes the whole map unsure.
      else if (others.length > 0) this.unsure.addValue(isJoined ? path : own);
      first.value = this.mend(first.value, own, isOneMap);
    }
    map.items = map.items.filter((pair) => !this.#mergesNothing(pair));
  }

  /** True for a merge (`<<`) of a reference to nothing. */
  #mergesNothing({ key, value }: Pair): boolean {
    if (!this.#yaml.isScalar(key) || key.value !== MERGE_KEY) return false;
    if (this.#yaml.isSeq(value)) value.items = value.items.filter((item) => !this.#isNothing(item));
    return this.#isNothing(value);
  }

  readonly #isNothing = (node: unknown): boolean => this.#nothing.has(Object(node));

  #byKey(map: YAMLMap): readonly (readonly [Pair, ...Pair[]])[] {
    const groups = new Map<unknown, [Pair, ...Pair[]]>();
    for (const pair of map.items) {
      const key = keyOf(pair);
      if (key === PROTOTYPE) continue;
      const group = key === MERGE_KEY ? undefined : groups.get(key);
      if (group === undefined) groups.set(key === MERGE_KEY ? pair : key, [pair]);
      else group.push(pair);
    }
    return [...groups.values()];
  }

  /** Gives the entries of all maps to the first, if all values are maps. */
  #joined(first: Pair, others: readonly Pair[]): boolean {
    const { value } = first;
    const maps = others.map((pair) => pair.value).filter((each) => this.#yaml.isMap(each));
    if (!this.#yaml.isMap(value) || maps.length < others.length) return false;
    value.items = [value, ...maps].flatMap(({ items }) => items);
    return true;
  }
}

const keyOf = ({ key }: Pair): string =>
  typeof key === 'object' && key !== null && 'value' in key ? String(key.value) : String(key);
