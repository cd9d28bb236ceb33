/** What becomes of workflow files of all the forms that are in use. */
import type { Subject } from '../subjects.ts';
import { SAMPLES, type Sample } from './samples.ts';

const TUTTI: Subject = { program: 'tutti', version: 'of this repository' };

export const featureText = ({ file, expected }: Sample): string => `\`${file}\`: ${expected.about}`;

export const WORKFLOWS = {
  title: 'Workflow files',
  about: `Files of the forms that public documentation and public repositories show, of all versions of the manifest, written anew for this
suite: \`tests/interop/workflows/corpus\`. \`tutti validate\` and the server accept each as it is, \`tutti plan\` shows its jobs, and it runs, with agents or
on the inception environment; what is expected of it stands beside it in \`NAME.expected.yaml\`.`,
  subjects: [TUTTI],
  features: SAMPLES.map((sample) => ({ text: featureText(sample) })),
};
