/** Quality gates, as they are judged by (specification 4.10, wire facts 9.4). */
import type { QualityGatesDocument } from '@tutti/manifests';

type GateDefinition = QualityGatesDocument['qualitygates'][number];
type RuleDefinition = GateDefinition['rules'][number];

export interface QualityGate {
  readonly name: string;
  readonly rules: readonly QualityGateRule[];
}

export interface QualityGateRule {
  readonly name: string;
  /** The scope as it is shown; test cases in scope fit each of `conditions`. */
  readonly scope: string;
  readonly conditions: readonly string[];
  /** From `0%` to `100%`. */
  readonly threshold: string;
  /** Test cases that may fail, and those that may be in scope; null for any number. */
  readonly failedMax: number | null;
  readonly casesMax: number | null;
  /** A list, as a thread may have read the definition, and sends it as JSON. */
  readonly failureStatus: readonly string[];
}

export interface GateProblem {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

const ALL = 'true';
/** The threshold of a rule that has another limit. */
const ANY_SHARE = '0%';
const DEFAULT_FAILURE_STATUS: readonly string[] = ['failure', 'error', 'blocked'];

/** The gates of a document, in its order. Several may have one name, of which the last one counts. */
export function readQualityGates(document: QualityGatesDocument): readonly QualityGate[] {
  return document.qualitygates.map((gate) => ({
    name: gate.name,
    rules: gate.rules.map((rule, index) => readRule(gate, rule, index)),
  }));
}

function readRule(
  gate: GateDefinition,
  definition: RuleDefinition,
  index: number,
): QualityGateRule {
  const { rule } = definition;
  const conditions = [gate.scope ?? '', rule.scope ?? '']
    .map(String)
    .filter((text) => !isBlank(text));
  return {
    name: nameOfRule(gate, definition, index),
    scope:
      conditions.length > 1
        ? conditions.map((text) => `(${text})`).join(' && ')
        : (conditions[0] ?? ALL),
    conditions,
    threshold: rule.threshold ?? ANY_SHARE,
    failedMax: rule['max-failed'] ?? null,
    casesMax: rule.max ?? null,
    failureStatus: rule['failure-status'] ?? DEFAULT_FAILURE_STATUS,
  };
}

const isBlank = (text: string): boolean => text.trim() === '';

/** Results are keyed by name, so each rule needs a name. A rule without one gets the same unused name each time. */
function nameOfRule({ rules }: GateDefinition, { name: given }: RuleDefinition, index: number) {
  if (given !== undefined) return given;
  const isTaken = (ruleName: string) => rules.some(({ name }) => name === ruleName);
  let made = `rule-${index + 1}`;
  while (isTaken(made)) made += '+';
  return made;
}

/** Rules of a gate need different names: only one result per name is shown, and the other would decide unseen. */
export function duplicateRules(document: QualityGatesDocument): readonly GateProblem[] {
  return document.qualitygates.flatMap((gate, gateIndex) => {
    const seen = new Set<string>();
    return gate.rules.flatMap((rule, index) => {
      const ruleName = nameOfRule(gate, rule, index);
      if (!seen.has(ruleName)) {
        seen.add(ruleName);
        return [];
      }
      const message = `Quality gate "${gate.name}" has several rules with the name "${ruleName}".`;
      return [{ path: ['qualitygates', gateIndex, 'rules', index], message }];
    });
  });
}

function builtIn(gateName: string, threshold: string): QualityGate {
  const rule = { name: gateName, scope: ALL, conditions: [], threshold };
  const limits = { failedMax: null, casesMax: null, failureStatus: DEFAULT_FAILURE_STATUS };
  return { name: gateName, rules: [{ ...rule, ...limits }] };
}

/** Are there without a definition; like every gate, both ask for a run that succeeded. */
export const BUILT_IN_GATES: readonly QualityGate[] = [
  builtIn('strict', '100%'),
  builtIn('passing', '0%'),
];
