/** Suggests the path that a path without values probably means. */
import { nearestName } from '@tutti/manifests/documents';
import type { ValuePath } from './value-path.ts';

/** Null if the path has a value in some item, or no similar name exists. */
export function meantPath(items: readonly unknown[], path: ValuePath): ValuePath | null {
  const meant: string[] = [];
  let places = items;
  for (const step of path) {
    const name = stepThere(places, step);
    if (name === null) return null;
    meant.push(name);
    places = entriesOf(places).flatMap(([key, value]) =>
      name === '*' || key === name ? [value] : [],
    );
  }
  return meant.join() === path.join() ? null : meant;
}

function stepThere(places: readonly unknown[], step: string): string | null {
  const names = new Set(entriesOf(places).map(([name]) => name));
  return step.startsWith('*') || names.has(step) ? step : nearestName(step, names);
}

const entriesOf = (places: readonly unknown[]): readonly (readonly [string, unknown])[] =>
  places.flatMap((place) =>
    typeof place === 'object' && place !== null ? Object.entries(place) : [],
  );

/** The path in the user's form. */
export const pathText = (path: ValuePath): string =>
  path
    .map((step) => (step.includes('.') ? `[${step}]` : `.${step}`))
    .join('')
    .replace(/^\./, '');
