export { asksForLabels, labelsAskedFor } from './asked-for.ts';
export { createNamePattern } from './name-pattern.ts';
export { parseFieldPath, parseFieldSelector, parseLabelSelector } from './parse-selector.ts';
export {
  CONDITIONS_MAX,
  type Condition,
  holdsFor,
  matches,
  SELECTOR_LENGTH_MAX,
  type Selector,
  valueAt,
} from './selector.ts';
export {
  type CompiledSubscriptionSelector,
  compileSubscriptionSelector,
  describeFieldSelector,
  describeLabelSelector,
  type NeededValue,
  type SubscriptionSelector,
  textAt,
} from './subscription-selector.ts';
