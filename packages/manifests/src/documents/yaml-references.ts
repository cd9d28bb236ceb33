/** Finds wrong references (`*name`) in a YAML document. The library reports them without a place and in its own words. */
import type { Alias, Document, Node, ParsedNode } from 'yaml';
import { DOCUMENT_LIMITS } from './document-limits.ts';

type YamlLibrary = typeof import('yaml');
type ParsedDocument = Document.Parsed<ParsedNode>;

export interface WrongReference {
  readonly message: string;
  /** Offsets in the text. */
  readonly range: readonly [start: number, end: number];
}

/** Wrong references in the order of the text; empty if all are valid as far as is known. */
export function wrongReferences(
  yaml: YamlLibrary,
  document: ParsedDocument,
): readonly WrongReference[] {
  const check = new ReferenceCheck(yaml);
  yaml.visit(document, {
    Node: (_, node) => check.see(node),
    Pair: (_, { key, value }) => {
      if (yaml.isScalar(key) && key.value === '<<' && key.type === 'PLAIN') check.merge(key, value);
    },
  });
  return check.wrong;
}

/** A referenced value, counted as the library does. */
interface Repeated {
  /** Number of occurrences in the document so far. */
  readonly count: number;
  /** Number of repetitions of its contents before. */
  readonly inside: number;
}

const timesOf = ({ count, inside }: Repeated): number => count * inside;

class ReferenceCheck {
  readonly wrong: WrongReference[] = [];
  readonly #yaml: YamlLibrary;
  /** The node that each anchor names at the current point of the walk. */
  readonly #named = new Map<string, Node>();
  readonly #repeated = new Map<Node, Repeated>();
  #isExcessive = false;

  constructor(yaml: YamlLibrary) {
    this.#yaml = yaml;
  }

  see(node: Node): void {
    if (this.#yaml.isAlias(node)) this.#refer(node);
    else if ('anchor' in node && typeof node.anchor === 'string') {
      this.#named.set(node.anchor, node);
    }
  }

  /** `value` is merged by `key`. */
  merge(key: Node, value: unknown): void {
    const isList = this.#yaml.isSeq(value);
    const sources: readonly unknown[] = isList ? value.items : [value];
    if (!sources.every((source) => this.#isMap(source))) {
      this.#report(key, 'what "<<" takes over must be a map, or a list of maps');
    }
  }

  #isMap(source: unknown): boolean {
    if (!this.#yaml.isAlias(source)) return this.#yaml.isMap(source);
    const meant = this.#named.get(source.source);
    // `#refer` reports an alias without an anchor.
    return meant === undefined || this.#yaml.isMap(meant);
  }

  #refer(alias: Alias): void {
    const meant = this.#named.get(alias.source);
    if (meant === undefined) {
      this.#report(alias, `no anchor "&${alias.source}" is before this alias`);
      return;
    }
    const known = this.#repeated.get(meant) ?? { count: 1, inside: this.#inside(meant) };
    const repeated = { ...known, count: known.count + 1 };
    this.#repeated.set(meant, repeated);
    if (this.#isExcessive || timesOf(repeated) <= DOCUMENT_LIMITS.yamlAliases) return;
    this.#isExcessive = true;
    const most = `${DOCUMENT_LIMITS.yamlAliases} times in a document at most`;
    this.#report(alias, `what aliases repeat may stand ${most}, those within it counted as well`);
  }

  /** The largest number of repetitions within a value; 1 without references. */
  #inside(node: unknown): number {
    const { isAlias, isCollection, isPair } = this.#yaml;
    if (isAlias(node)) {
      const meant = this.#named.get(node.source);
      const repeated = meant === undefined ? undefined : this.#repeated.get(meant);
      return repeated === undefined ? 1 : timesOf(repeated);
    }
    if (isPair(node)) return Math.max(this.#inside(node.key), this.#inside(node.value));
    if (!isCollection(node)) return 1;
    return node.items.reduce<number>((most, item) => Math.max(most, this.#inside(item)), 1);
  }

  #report({ range }: Node, message: string): void {
    if (range) this.wrong.push({ message, range: [range[0], range[1]] });
  }
}
