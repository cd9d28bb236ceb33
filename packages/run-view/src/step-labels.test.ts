// biome-ignore-all lint/suspicious/noTemplateCurlyInString: expressions are written so.
import type { StepId } from '@tutti/manifests';
import { type LabeledStep, labelOfStep } from '@tutti/workflow/step-label';
import { expect, test } from 'vitest';
import { labelText } from './step-labels.ts';

const UUID = '9a2326a8-4145-4b77-a4f6-163199ae106b';

test.each<[step: LabeledStep, evaluated: string, label: string]>([
  [{ id: UUID, name: 'Run the tests', run: 'make' }, 'make', 'Run the tests'],
  [{ id: UUID, name: 'Say ${{ variables.WHO }}', run: 'echo' }, 'echo', 'Say …'],
  [{ id: UUID, name: '${{ variables.WHAT }}', run: 'make all' }, 'make all', 'make all'],
  [{ id: UUID, uses: 'actions/checkout@v3' }, '', 'actions/checkout@v3'],
  [{ id: UUID, run: 'echo "${{ variables.WHO }}"' }, 'echo "world"\nmore', 'echo "world"'],
  [{ id: UUID, run: 'echo "${{ variables.WHO }}"' }, '', 'echo "…"'],
  [{ id: UUID, run: "echo ${{ format('}}{0}', inputs.a) }} done" }, '', 'echo … done'],
  [{ id: UUID, run: '\n  make it\nmore' }, 'make it\nmore', 'make it'],
  [{ id: 'build', run: '${{ inputs.command }}' }, '', 'build'],
  [{ id: 'build', run: '${{ inputs.command }}' }, 'make', 'make'],
  [{ id: UUID, run: '${{ inputs.command }}' }, '', 'step'],
  [{ id: UUID, run: 'echo ${{ broken' }, '', 'echo ${{ broken'],
  // Language 1.7: A step without a name is called by its command.
])('%j, run as %j, is called %j', (step, evaluated, label) => {
  expect(labelText(labelOfStep(step) ?? undefined, step.id as StepId, evaluated)).toBe(label);
});

test('a step without a manifest is named by its command, or else by its id', () => {
  expect(labelText(undefined, 'extra' as StepId, 'make')).toBe('make');
  expect(labelText(undefined, 'extra' as StepId, '')).toBe('extra');
  expect(labelText(undefined, UUID as StepId, '')).toBe('step');
});

test('a long script takes no longer than its length', () => {
  expect(labelOfStep({ run: `make\n${'${{'.repeat(200_000)}` })).toEqual({
    text: 'make',
    isFinal: false,
  });
});
