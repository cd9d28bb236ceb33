/** Labels of steps on the screen. */

import type { Hook, StepId } from '@tutti/manifests';
import {
  firstLine,
  idLabel,
  type LabeledStep,
  labelOfStep,
  readable,
  type StepLabel,
} from '@tutti/workflow/step-label';
import { cutCommand } from './bounds.ts';

/** The first line of an evaluated name; null without one. */
export function nameLabel(evaluated: string | null): string | null {
  return evaluated === null ? null : firstLine(evaluated) || null;
}

const isUnnamed = ({ name, uses }: LabeledStep): boolean =>
  readable(name) === '' && readable(uses) === '';

/** The label that a manifest gives a step, see `labelOfStep`; of a command, so many characters (0: all). */
export function shortLabel(step: LabeledStep, commandLength: number): StepLabel | null {
  const label = labelOfStep(step);
  if (label === null || !isUnnamed(step)) return label;
  return { ...label, text: cutCommand(label.text, commandLength) };
}

/** Labels for the steps of a function. Scripts without a name take the function's name; if there are several, also their commands. */
export function stepsOfFunction<Step extends LabeledStep>(
  functionLabel: StepLabel,
  steps: readonly Step[],
  commandLength = 0,
): readonly Step[] {
  const isOnly = steps.filter(isUnnamed).length === 1;
  return steps.map((step) => {
    if (!isUnnamed(step)) return step;
    const command = isOnly ? '' : cutCommand(readable(step.run), commandLength);
    const { text } = functionLabel;
    return { ...step, name: command === '' ? text : `${text}: ${command}` };
  });
}

/** The label of a step that runs, or was skipped. `evaluated` is its command as it runs, empty when it does not. */
export function labelText(label: StepLabel | undefined, stepId: StepId, evaluated: string): string {
  if (label?.isFinal === true) return label.text;
  return firstLine(evaluated) || (label?.text ?? idLabel(stepId)) || 'step';
}

/** Stored under the empty name: a hook belongs to many jobs. */
export function labelsOfHooks(
  hooks: unknown,
  commandLength: number,
): [key: string, label: StepLabel][] {
  const list: readonly Hook[] = Array.isArray(hooks) ? hooks : [];
  return list.flatMap(({ before = [], after = [] }) =>
    labelsOf('', [...before, ...after], commandLength),
  );
}

/** By the key of the job and the id of the step. */
export function labelsOf(
  job: string,
  steps: readonly LabeledStep[],
  commandLength: number,
): [key: string, label: StepLabel][] {
  return steps.flatMap((step) => {
    const label = shortLabel(step, commandLength);
    return typeof step.id === 'string' && label !== null ? [[`${job}/${step.id}`, label]] : [];
  });
}
