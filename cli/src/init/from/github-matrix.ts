/** Names of images that become tags: in `runs-on`, and in the matrix that it reads. */
import { listOf, textsOf, type Undone, type Values, valuesOf } from './translation.ts';

/** The tag of the system, for the name of an image. */
export const tagOf = (name: string): string =>
  /^(?:ubuntu|windows|macos)(?=-)/.exec(name)?.[0]?.replace('ubuntu', 'linux') ?? name;

/** The tags of a job: a list, or a map with a group of machines. */
export function tagsOf(runsOn: unknown, place: string, undone: Undone): readonly string[] {
  const { labels, ...others } = valuesOf(runsOn);
  undone.keys(`${place}: runs-on`, others, []);
  return textsOf(labels ?? runsOn).map(tagOf);
}

/** The strategy, with tags in the axes that `tags` read. */
export function taggedStrategy(
  strategy: Values,
  tags: readonly string[],
  place: string,
  undone: Undone,
): Values {
  const matrix = valuesOf(strategy.matrix);
  const axes = [...tags.join(' ').matchAll(/\bmatrix\.([\w-]+)/g)].map(([, axis = '']) => axis);
  if (axes.length === 0 || strategy.matrix === undefined) return strategy;
  if (typeof strategy.matrix === 'string') {
    undone.add(place, 'the tags in "runs-on" come from an expression: check them.');
    return strategy;
  }
  const tagged = (entry: unknown) => mapped(valuesOf(entry), axes, (value) => tagOf(String(value)));
  const own = mapped(matrix, axes, (values) => {
    const all = textsOf(values);
    const single = [...new Set(all.map(tagOf))];
    if (single.length < all.length) {
      undone.add(place, `${all.join(', ')} became ${single.join(', ')}: the matrix is smaller.`);
    }
    return single;
  });
  const entries = ['include', 'exclude'].flatMap((key) =>
    Array.isArray(matrix[key]) ? [[key, listOf(matrix[key]).map(tagged)]] : [],
  );
  return { ...strategy, matrix: { ...own, ...Object.fromEntries(entries) } };
}

const mapped = (values: Values, keys: readonly string[], change: (value: unknown) => unknown) =>
  Object.fromEntries(
    Object.entries(values).map(([key, value]) => [key, keys.includes(key) ? change(value) : value]),
  );

/** Names conditions that ask for an image: they never hold for a tag. */
export function nameComparedImages(values: unknown, place: string, undone: Undone): void {
  const compared = JSON.stringify(values).matchAll(/[=!]= *'((?:ubuntu|windows|macos)-[\w.]+)'/g);
  for (const [, image = ''] of compared) {
    undone.add(place, `compares with '${image}': the tag is ${tagOf(image)}.`);
  }
}
