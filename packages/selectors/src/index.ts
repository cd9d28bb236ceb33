export { asksForLabels, labelsAskedFor } from './asked-for.ts';
export { createNamePattern } from './name-pattern.ts';
export { parseFieldSelector, parseLabelSelector } from './parse-selector.ts';
export { type Condition, holdsFor, matches, type Selector, valueAt } from './selector.ts';
export {
  type CompiledSubscriptionSelector,
  compileSubscriptionSelector,
  describeFieldSelector,
  describeLabelSelector,
  type SubscriptionSelector,
  textAt,
} from './subscription-selector.ts';
