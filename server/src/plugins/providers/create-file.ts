/** `actions/create-file`: writes data that is in the workflow to a file (wire facts 10.6). */
import { OrchestratorError } from '@tutti/manifests';
import { createFile, defineProvider, scriptStep } from '@tutti/sdk';

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
      async steps({ data, format, path }, { os }) {
        return [scriptStep(os, createFile(os, path, await render(format, data)))];
      },
    },
  ],
});

/** A text is written as it is, whatever the format. */
async function render(format: string, data: unknown): Promise<string> {
  if (typeof data === 'string') return data.endsWith('\n') ? data : `${data}\n`;
  switch (format) {
    case 'json':
      return `${JSON.stringify(data, null, 2)}\n`;
    case 'yaml':
      // Loaded only here: few workflows write YAML.
      return (await import('yaml')).stringify(data);
    case 'ini':
      return renderIni(data);
    default:
      throw invalid('the format "txt" needs a text');
  }
}

type Scalar = string | number | boolean;

/** `key = value` lines: those outside of any section first, then each section. */
function renderIni(data: unknown): string {
  const lines: string[] = [];
  const sections: string[] = [];
  for (const [name, value] of entriesOf(data)) {
    if (isScalar(value)) lines.push(iniLine(name, value));
    else sections.push(iniSection(name, value));
  }
  const head = lines.length === 0 ? [] : [`${lines.join('\n')}\n`];
  return [...head, ...sections].join('\n');
}

function iniSection(name: string, values: unknown): string {
  if (/[\]\r\n]/.test(name)) throw invalid(`${JSON.stringify(name)} cannot name a section`);
  const lines = entriesOf(values).map(([key, value]) => {
    if (!isScalar(value)) throw invalid(`the format "ini" has no values within "${name}.${key}"`);
    return iniLine(key, value);
  });
  return `${[`[${name}]`, ...lines].join('\n')}\n`;
}

function iniLine(key: string, value: Scalar): string {
  if (/[=\r\n]|^[[;#]/.test(key)) throw invalid(`${JSON.stringify(key)} cannot be a key`);
  if (/[\r\n]/.test(String(value))) throw invalid(`the value of "${key}" has more than one line`);
  return `${key} = ${value}`;
}

function entriesOf(data: unknown): readonly (readonly [string, unknown])[] {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) {
    throw invalid('the format "ini" needs sections with keys and values');
  }
  return Object.entries(data);
}

function isScalar(value: unknown): value is Scalar {
  return ['string', 'number', 'boolean'].includes(typeof value);
}

function invalid(why: string): OrchestratorError {
  return new OrchestratorError('Invalid', `Input "data": ${why}.`);
}
