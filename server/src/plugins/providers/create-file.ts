/** `actions/create-file`: writes data that is in the workflow to a file (wire facts 10.6). */
import { createRequire } from 'node:module';
import { OrchestratorError } from '@tutti/manifests';
import { portableYaml } from '@tutti/manifests/documents';
import { createFile, defineProvider, renderIni, scriptStep } from '@tutti/sdk';

// Loaded only here: few workflows write YAML.
const loadYaml = () => createRequire(import.meta.url)('yaml') as typeof import('yaml');

export const createFileProvider = defineProvider({
  name: 'create-file',
  functions: [
    {
      prefix: 'actions',
      category: 'create-file',
      version: 'v1',
      description: 'Creates a file in the workspace.',
      inputs: {
        data: { description: 'What to write: a text, or data for the format.', required: true },
        format: {
          description: 'The format of the file.',
          type: 'choice',
          options: ['ini', 'json', 'yaml', 'txt'],
          required: true,
        },
        path: { description: 'Where to write it.', type: 'string', required: true },
      },
      steps({ data, format, path }, { os }) {
        return [scriptStep(os, createFile(os, path, render(format, data)))];
      },
    },
  ],
});

/** A text is written as it is, whatever the format. */
function render(format: string, data: unknown): string {
  if (typeof data === 'string') return data.endsWith('\n') ? data : `${data}\n`;
  switch (format) {
    case 'json':
      return `${JSON.stringify(data, null, 2)}\n`;
    case 'yaml':
      return portableYaml(loadYaml(), data);
    case 'ini':
      return renderIni(data);
    default:
      throw invalid('the format "txt" needs a text');
  }
}

function invalid(why: string): OrchestratorError {
  return new OrchestratorError('Invalid', `Input "data": ${why}.`);
}
