/** All texts of a described function that may have expressions, with what these can be there. */
import type { ProviderFunctionManifest, ProviderStep } from '@tutti/manifests';
import type { DocumentPath } from '@tutti/manifests/documents';
import { isForAll, languageOf } from './render-steps.ts';
import type { ScriptLanguage } from './script-places.ts';

/**
 * Which values an expression may read: of the call alone, of the run alone, of both, or none. `values` sees the values before it; its names
 * are those that are known there.
 */
export type TextUse = 'call' | 'run' | 'both' | 'none';

export interface DescribedText {
  /** Path below the function. */
  readonly path: DocumentPath;
  readonly text: string;
  readonly use: TextUse;
  readonly isCondition: boolean;
  /** The languages that the text is a script in; empty when it is no script. */
  readonly languages: readonly ScriptLanguage[];
  /** Names of the values that exist here. */
  readonly values: readonly string[];
}

export function textsOf(described: ProviderFunctionManifest): readonly DescribedText[] {
  const { values = {}, attach = [], outputs = {} } = described;
  const names = Object.keys(values);
  const texts = (path: DocumentPath, value: unknown, use: TextUse, known = names) =>
    textsIn(path, value).map((found) => ({ ...plain(found, use), values: known }));
  return [
    ...names.flatMap((name, index) =>
      texts(['values', name], values[name], 'call', names.slice(0, index)),
    ),
    ...stepLists(described).flatMap(({ path, steps, languages }) =>
      steps.flatMap((step, index) => textsOfStep([...path, index], step, languages, names)),
    ),
    ...attach.flatMap(({ path, type, name }, index) => [
      ...texts(['attach', index, 'path'], path, 'call'),
      ...texts(['attach', index, 'type'], type, 'none'),
      ...texts(['attach', index, 'name'], name, 'none'),
    ]),
    ...texts(['outputs'], outputs, 'run'),
  ];
}

interface FoundText {
  readonly path: DocumentPath;
  readonly text: string;
}

const plain = (found: FoundText, use: TextUse): Omit<DescribedText, 'values'> => ({
  ...found,
  use,
  isCondition: false,
  languages: [],
});

interface StepList {
  readonly path: DocumentPath;
  readonly steps: readonly ProviderStep[];
  readonly languages: readonly ScriptLanguage[];
}

export function stepLists({ steps }: ProviderFunctionManifest): readonly StepList[] {
  if (isForAll(steps)) return [{ path: ['steps'], steps, languages: ['bash', 'cmd'] }];
  return Object.entries(steps).map(([system, list]) => ({
    path: ['steps', system],
    steps: list,
    languages: [system === 'windows' ? 'cmd' : 'bash'],
  }));
}

function textsOfStep(
  path: DocumentPath,
  step: ProviderStep,
  languages: readonly ScriptLanguage[],
  values: readonly string[],
): readonly DescribedText[] {
  const { command, run, if: condition, 'working-directory': directory, ...rest } = step;
  const texts = (key: string, value: unknown, use: TextUse) =>
    textsIn([...path, key], value).map((found) => ({ ...plain(found, use), values }));
  return [
    ...texts('command', command, 'call'),
    ...texts('run', run, 'call').map((text) => ({ ...text, ...scriptPart(step, languages) })),
    ...texts('if', condition, 'both').map((text) => ({ ...text, isCondition: true })),
    ...texts('working-directory', directory, 'call'),
    ...Object.entries(rest).flatMap(([key, value]) =>
      texts(key, value, key === 'id' || key === 'shell' || key === 'uses' ? 'none' : 'both'),
    ),
  ];
}

/** Nothing can be quoted in a language that is not known. */
function scriptPart(
  step: ProviderStep,
  languages: readonly ScriptLanguage[],
): Partial<DescribedText> {
  if (step.shell === undefined) return { languages };
  const language = languageOf(step, 'linux');
  return language === null ? { use: 'none' } : { languages: [language] };
}

function textsIn(path: DocumentPath, value: unknown): readonly FoundText[] {
  if (typeof value === 'string') return [{ path, text: value }];
  if (typeof value !== 'object' || value === null) return [];
  const entries: readonly (readonly [string | number, unknown])[] = Array.isArray(value)
    ? value.map((item, index) => [index, item] as const)
    : Object.entries(value);
  return entries.flatMap(([key, item]) => textsIn([...path, key], item));
}
