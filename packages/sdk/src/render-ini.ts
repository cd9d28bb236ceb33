/** Text in the format of ini files. */
import { OrchestratorError } from '@tutti/manifests';

type Scalar = string | number | boolean;

/**
 * `key = value` lines: those outside of any section first, then each section. Throws `Invalid`, with a sentence about
 * the input `data` that the value is from.
 */
export function renderIni(data: unknown): string {
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
