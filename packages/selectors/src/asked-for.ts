/** Reads the labels that the selector of a subscription requires: they name the functions of a plugin. */
import type { Subscription } from '@tutti/manifests';
import { SUBSCRIPTION_SELECTOR_LIMITS } from './limits.ts';

const { combinations } = SUBSCRIPTION_SELECTOR_LIMITS;

type Selector = NonNullable<Subscription['spec']['selector']>;
type Labels = Readonly<Record<string, string>>;

/** True if a selector requires labels. Excluding labels is no requirement. */
export const asksForLabels = ({ matchLabels, matchExpressions = [] }: Selector): boolean =>
  matchLabels !== undefined ||
  matchExpressions.some(({ operator }) => operator === 'In' || operator === 'Exists');

/** The labels that it asks for by their values: one for each combination; none if it asks for no value. */
export function labelsAskedFor({
  matchLabels,
  matchExpressions = [],
}: Selector): readonly Labels[] {
  let found: readonly Labels[] = matchLabels === undefined ? [] : [matchLabels];
  for (const { key, operator, values: listed = [] } of matchExpressions) {
    if (operator !== 'In') continue;
    const before = found.length === 0 ? [{}] : found;
    const values = listed.slice(0, Math.ceil(combinations / before.length));
    found = before.flatMap((labels) => values.map((value) => ({ ...labels, [key]: value })));
  }
  return found;
}

/** The versions that it asks for; none if any will do. */
export function versionsAskedFor({
  matchFields = {},
  matchFieldExpressions = [],
}: Selector): readonly string[] {
  const { apiVersion } = matchFields;
  if (apiVersion !== undefined) return [apiVersion];
  return matchFieldExpressions.flatMap(({ key, operator, values = [] }) =>
    key === 'apiVersion' && operator === 'In' ? values : [],
  );
}
