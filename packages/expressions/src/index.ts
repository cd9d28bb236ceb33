export { evaluateCondition, parseCondition, usesStatusFunction } from './condition.ts';
export { evaluateExpression, type Scope } from './evaluate-expression.ts';
export { createBudget, type EvaluationBudget, spendSteps, stepsLeft } from './evaluation-budget.ts';
export { MissingEntryError } from './expression-error.ts';
export { type ExpressionUses, type UsedName, type UsedPath, usesOf } from './expression-uses.ts';
export {
  BUILT_IN_FUNCTION_NAMES,
  findBuiltInFunction,
  isStatusFunction,
  STATUS_FUNCTIONS,
} from './functions.ts';
export { interpolate, interpolateText } from './interpolate.ts';
export { STEPS_MAX } from './limits.ts';
export { parseExpression } from './parse-expression.ts';
export { type PlacedExpression, placeCondition, placeExpressions } from './placed-expressions.ts';
export { referencesIn, referencesOf } from './references.ts';
export { CLOSING, OPENING, splitText } from './split-text.ts';
export { childrenOf, type Expression, type ExpressionNode } from './syntax.ts';
export { TEXT_FUNCTIONS } from './text-functions.ts';
export { isList, isMap } from './values.ts';
