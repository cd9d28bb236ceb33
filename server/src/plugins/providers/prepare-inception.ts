/* biome-ignore-all lint/suspicious/noTemplateCurlyInString: names of expressions. */
/** `actions/prepare-inception`: says which resource files stand for the reports of a rehearsal (wire facts 10.5 and 10.6). */
import { OrchestratorError } from '@tutti/manifests';
import { defineProvider, scriptStep } from '@tutti/sdk';
import { parameterOf } from './transfer-parameter.ts';

export const prepareInceptionProvider = defineProvider({
  name: 'prepare-inception',
  functions: [
    {
      prefix: 'actions',
      category: 'prepare-inception',
      version: 'v1',
      description: 'Prepares files for a rehearsal.',
      inputs: {
        '{name}': {
          description:
            'For the name of each report the file that stands for it: `${{ resources.files.<name> }}`.',
        },
      },
      // Comments, so that nothing happens where the environment is a real one.
      steps: (inputs, { os }) => {
        const comment = os === 'windows' ? '@rem' : '#';
        const given: Readonly<Record<string, unknown>> = inputs;
        const lines = Object.entries(given)
          .filter(([name]) => !name.startsWith('{'))
          .map(([name, file]) => `${comment} ${preparation(name, file)}`);
        return lines.length === 0 ? [] : [scriptStep(os, lines)];
      },
    },
  ],
});

function preparation(name: string, file: unknown): string {
  if (typeof file !== 'string' || file === '') {
    throw new OrchestratorError(
      'Invalid',
      `Input "${name}": expected the name of a resource file.`,
    );
  }
  if (/[\\/\p{Cc}]|\$\{\{|^\s|\s$/u.test(name)) {
    throw new OrchestratorError('Invalid', `Input "${name}" cannot be the name of a report.`);
  }
  const reference = parameterOf(name, file);
  if (reference.includes('${{')) {
    throw new OrchestratorError('Invalid', `Input "${name}": a file cannot have this name here.`);
  }
  return `::inception file=${reference}::${name}`;
}
