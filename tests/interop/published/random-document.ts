// biome-ignore-all lint/suspicious/noTemplateCurlyInString: expressions are written so.
/**
 * Random workflows, made from the published schema. Ask the toolkit whether it accepts one: they break some rules of the
 * schema.
 */
import type { Random } from '../../support/random.ts';

export interface SchemaNode {
  readonly $ref?: string;
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly minItems?: number;
  readonly minProperties?: number;
  readonly required?: readonly string[];
  readonly not?: SchemaNode;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly patternProperties?: Readonly<Record<string, SchemaNode>>;
  readonly additionalProperties?: boolean;
  readonly items?: SchemaNode;
  readonly anyOf?: readonly SchemaNode[];
  readonly oneOf?: readonly SchemaNode[];
  readonly definitions?: Readonly<Record<string, SchemaNode>>;
}

const NAMES = ['a', 'b', 'c'];
const OTHER_NAMES = ['other', 'a-b', 'a b', '1x'];
/** Beyond it, maps have what they must, and jobs have steps. */
const DEPTH_MAX = 7;

const USUAL = ['text', 'two words', '${{ inputs.a }}', '${{ opentf.zz }}', '${{ variables.a }}'];
const TEXTS = [
  ...[...NAMES, ...USUAL, '', 'a/b@v1', './a', 'a: b', 'x.yaml', '${{ needs.a.outputs.x }}'],
  ...['${{ needs.b.nope }}', '${{ steps.a.outputs.x }}', '${{ steps.a.nope }}', '${{ matrix.a }}'],
  ...['${{ resources.files.a }}', '${{ secrets.a }}', '${{ runner.os }}', '${{ needs.a.b.c }}'],
  ...[
    '${{ nothing.x }}',
    '${{ a b }}',
    '${{ always() }}',
    '${{ none(inputs.a) }}',
    '${{ inputs.a.b }}',
  ],
];
/** Typical values of a key. Other texts replace them now and then. */
const TEXTS_OF_KEY: Readonly<Record<string, readonly string[]>> = {
  call: ['./a', 'a/x.yaml@v1'],
  endpoint: ['https://example.org', 'https://${{ variables.a }}'],
  generator: ['a/b@v1', 'plan'],
  group: ['stage', '${{ opentf.workflow }}'],
  id: NAMES,
  if: ['always()', "opentf.workflow == 'a'", '${{ failure() }}', "inputs.a != 'x'"],
  needs: NAMES,
  run: ['echo', 'echo ${{ variables.a }}', 'echo ${{ inputs.a }}', 'echo "${{ opentf.zz }}"'],
  url: ['https://example.org/a'],
  uses: ['a/b@v1', 'actions/checkout@v3'],
};
const HOOK_EVENTS = [
  { channel: 'setup' },
  { category: 'a' },
  { channel: 'teardown', category: 'a' },
];
const HOOK_STEPS = [{ run: 'echo' }, { uses: 'a/b@v1', with: { x: 1 } }, { run: 'x', retries: 1 }];

/** Each call makes one. Some of them have only what authors write, others whatever the schema leaves open. */
export function createDocuments(schema: SchemaNode, random: Random): () => unknown {
  return () =>
    new DocumentMaker(schema, random, random.pick([0, 0, 0.02, 0.3])).value(schema, '', 0);
}

class DocumentMaker {
  readonly #root: SchemaNode;
  readonly #random: Random;
  /** Share of odd choices. */
  readonly #oddity: number;

  constructor(root: SchemaNode, random: Random, oddity: number) {
    this.#root = root;
    this.#random = random;
    this.#oddity = oddity;
  }

  /** `key` is that of the map around it. */
  value(node: SchemaNode, key: string, depth: number): unknown {
    if (node.$ref !== undefined) return this.value(this.#definition(node.$ref), key, depth);
    if (Object.hasOwn(node, 'const')) return node.const;
    if (node.enum !== undefined) return this.#random.pick(node.enum);
    const choices = node.oneOf ?? node.anyOf;
    if (choices !== undefined && node.properties === undefined) {
      return this.value(this.#choice(choices, depth), key, depth);
    }
    switch (node.type) {
      case 'string':
        return this.#text(node, key);
      case 'number':
        return this.#isOdd() ? this.#random.pick([0, -1, 0.5]) : this.#random.between(1, 300);
      case 'boolean':
        return this.#random.chance(0.5);
      case 'array':
        return this.#list(node, key, depth);
      case 'object':
        return this.#map(node, depth);
      default:
        return this.#any();
    }
  }

  #definition(reference: string): SchemaNode {
    return this.#root.definitions?.[reference.replace('#/definitions/', '')] ?? {};
  }

  /** Nested jobs have an end, and hardly any author writes a map as a tag. */
  #choice(choices: readonly SchemaNode[], depth: number): SchemaNode {
    const ofSteps = choices.filter(({ $ref = '' }) => $ref.endsWith('job-steps'));
    if (ofSteps.length > 0 && (depth > DEPTH_MAX || this.#random.chance(0.6))) {
      return this.#random.pick(ofSteps);
    }
    const plain = choices.filter(({ type, properties }) => type !== 'object' || properties);
    return this.#random.pick(this.#isOdd() || plain.length === 0 ? choices : plain);
  }

  #isOdd(): boolean {
    return this.#random.chance(this.#oddity);
  }

  #text({ pattern = '' }: SchemaNode, key: string): string {
    if (this.#isOdd() && pattern === '') return this.#random.pick([this.#noise(), ...TEXTS]);
    const fits = (text: string) => new RegExp(pattern).test(text);
    const usual = (TEXTS_OF_KEY[key] ?? [...NAMES, ...USUAL]).filter(fits);
    return this.#random.pick(this.#isOdd() || usual.length === 0 ? TEXTS.filter(fits) : usual);
  }

  #noise(): string {
    const codes = Array.from({ length: this.#random.between(1, 8) }, () =>
      this.#random.between(33, 126),
    );
    return String.fromCharCode(...codes);
  }

  #list({ items, minItems = 0 }: SchemaNode, key: string, depth: number): readonly unknown[] {
    const length = this.#random.between(minItems, 3);
    return Array.from({ length }, () => {
      if (items !== undefined) return this.value(items, key, depth + 1);
      if (this.#isOdd()) return this.#any();
      return this.#random.pick<unknown>(key === 'events' ? HOOK_EVENTS : HOOK_STEPS);
    });
  }

  #map(node: SchemaNode, depth: number): unknown {
    const forms = node.oneOf ?? node.anyOf ?? [{}];
    const form = this.#random.pick<SchemaNode>(forms);
    const ofForms = new Set(forms.flatMap(({ required = [] }) => required));
    const required = [...(node.required ?? []), ...(form.required ?? [])];
    const map: Record<string, unknown> = {};
    const { properties = {} } = node;
    for (const [key, child] of Object.entries(properties)) {
      const isWanted = !ofForms.has(key) && this.#random.chance(depth > DEPTH_MAX ? 0.05 : 0.2);
      const isBanned = form.not?.required?.includes(key) === true;
      if (!required.includes(key) && (!isWanted || isBanned)) continue;
      // A step uses a function, a job calls a workflow.
      const isCall = key === 'uses' && properties.generator !== undefined;
      map[key] = this.value(child, isCall ? 'call' : key, depth + 1);
    }
    this.#addNamed(map, node, depth);
    const isOpen = node.additionalProperties !== false && node.patternProperties === undefined;
    if (isOpen && this.#isOdd()) map[this.#random.pick(OTHER_NAMES)] = this.#any();
    return map;
  }

  /** Entries under names of the author. The schema says nothing of names that fit no pattern, nor of what they have. */
  #addNamed(map: Record<string, unknown>, node: SchemaNode, depth: number): void {
    const countMin = node.properties === undefined ? (node.minProperties ?? 0) : 0;
    for (const child of Object.values(node.patternProperties ?? {})) {
      const count = this.#random.between(countMin, depth > DEPTH_MAX ? 1 : 3);
      for (let index = 0; index < count; index += 1) {
        const isLoose = node.additionalProperties !== false && this.#isOdd();
        const name = this.#random.pick(isLoose ? OTHER_NAMES : NAMES);
        map[name] = this.value(child, '', depth + 1);
      }
    }
  }

  #any(): unknown {
    return this.#random.pick<unknown>([
      ...[this.#random.pick(TEXTS), 3, true, null, [], {}, { a: this.#random.pick(TEXTS) }],
      ...[
        ...HOOK_EVENTS,
        ...HOOK_STEPS,
        { category: 'a b' },
        { channel: 'begin' },
        { 'use-workspace': 'w' },
      ],
    ]);
  }
}
