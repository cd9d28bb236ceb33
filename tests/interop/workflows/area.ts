/** Workflow files of all forms in use, and their runs. */
import type { Subject } from '../subjects.ts';
import { SAMPLES, type Sample } from './samples.ts';

const TUTTI: Subject = { program: 'tutti', version: 'of this repository' };

export const featureText = ({ file, expected }: Sample): string => `\`${file}\`: ${expected.about}`;

export const WORKFLOWS = {
  title: 'Workflow files',
  about: `Workflow files in all forms that public documentation and repositories show, of all versions of the manifest, written for this suite:
\`tests/interop/workflows/corpus\`. \`tutti validate\` and the server accept each file, \`tutti plan\` shows its jobs, and it runs, with agents or on the
inception environment. \`NAME.expected.yaml\` has the expected results.`,
  subjects: [TUTTI],
  features: SAMPLES.map((sample) => ({ text: featureText(sample) })),
};
