/** The operators that the published schema of subscriptions has, read from the package of a toolkit. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Installed } from '../installation.ts';

type Node = Readonly<Record<string, unknown>>;

const PLACE = 'site-packages/opentf/schemas/opentestfactory.org';
/** Versions of the manifest; a toolkit has some of them. */
const VERSIONS = ['v1alpha1', 'v1'];

export interface PublishedOperators {
  readonly labels: readonly string[];
  readonly fields: readonly string[];
}

/** Operators in the newest version of the manifest that the toolkit has. */
export function publishedOperators({ folder }: Installed): PublishedOperators {
  const lib = join(folder, 'lib');
  const [python = ''] = readdirSync(lib);
  const texts = VERSIONS.flatMap((version) => {
    try {
      return [readFileSync(join(lib, python, PLACE, version, 'Subscription.json'), 'utf8')];
    } catch {
      return [];
    }
  });
  const schema: Node = JSON.parse(texts.at(-1) ?? '{}');
  const selector = at(schema, 'properties.spec.properties.selector.properties');
  return {
    labels: operatorsIn(schema, selector.matchExpressions),
    fields: operatorsIn(schema, selector.matchFieldExpressions),
  };
}

const at = (node: Node, path: string): Node =>
  path.split('.').reduce((found, name) => Object(found[name]), node);

/** The words of all `operator` below a node, also where it refers to a definition. */
function operatorsIn(schema: Node, node: unknown): readonly string[] {
  if (typeof node !== 'object' || node === null) return [];
  const found = Object.entries(node).flatMap(([name, value]) => {
    if (name === '$ref') {
      return operatorsIn(
        schema,
        at(schema, String(value).replace(/^#\//, '').replaceAll('/', '.')),
      );
    }
    return name === 'operator' ? (Object(value).enum ?? []) : operatorsIn(schema, value);
  });
  return [...new Set<string>(found)];
}
