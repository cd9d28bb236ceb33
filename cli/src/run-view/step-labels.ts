/** What steps are called on the screen. */
import type { StepId } from '@tutti/manifests';
import {
  firstLine,
  idLabel,
  type LabeledStep,
  readable,
  type StepLabel,
} from '@tutti/workflow/step-label';

/** The first line of a name that was evaluated; null where there is none. */
export function nameLabel(evaluated: string | null): string | null {
  return evaluated === null ? null : firstLine(evaluated) || null;
}

/**
 * The steps that a function put in its place, for their labels. Its scripts are means to an end, so those without a name are called
 * by the function, and where it has several, by their commands too.
 */
export function stepsOfFunction<Step extends LabeledStep>(
  functionLabel: StepLabel,
  steps: readonly Step[],
): readonly Step[] {
  const isUnnamed = ({ name, uses }: Step) => readable(name) === '' && readable(uses) === '';
  const isOnly = steps.filter(isUnnamed).length === 1;
  return steps.map((step) => {
    if (!isUnnamed(step)) return step;
    const command = isOnly ? '' : readable(step.run);
    const { text } = functionLabel;
    return { ...step, name: command === '' ? text : `${text}: ${command}` };
  });
}

/** The label of a step that runs, or was skipped; `evaluated` is its command as it runs, empty when it does not. */
export function labelText(label: StepLabel | undefined, stepId: StepId, evaluated: string): string {
  if (label?.isFinal === true) return label.text;
  return firstLine(evaluated) || (label?.text ?? idLabel(stepId)) || 'step';
}
