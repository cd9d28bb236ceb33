/** All that is wrong with a description of provider functions, before it is used. */
import { splitText } from '@tutti/expressions';
import {
  isOrchestratorError,
  meantReportType,
  type ProviderAttachment,
  type ProviderFunctionManifest,
  type ProviderManifest,
  problemsOfInputs,
  providerManifestSchema,
  withoutParameters,
} from '@tutti/manifests';
import {
  createSchemaValidator,
  type DocumentPath,
  type Problem,
  type SchemaLibrary,
} from '@tutti/manifests/documents';
import { type AttachOptions, attachHead } from '../attach.ts';
import { stepLists } from './described-texts.ts';
import { expressionProblems } from './expression-problems.ts';
import { namesOf } from './manifest-provider.ts';
import { isFolderPath, pathProblem } from './report-lines.ts';

export type ProviderCheck =
  | { readonly ok: true; readonly manifest: ProviderManifest }
  /** At least one; only those of the shape if it is wrong. */
  | { readonly ok: false; readonly problems: readonly Problem[] };

/** Whether a document says that it describes a provider, right or wrong. */
export const isProviderDocument = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'Provider';

/** Checks any value; the schema is compiled at the first one. */
export function createProviderCheck(load: () => SchemaLibrary): (value: unknown) => ProviderCheck {
  const shapeProblems = createSchemaValidator(providerManifestSchema, load);
  return (value) => {
    const ofShape = shapeProblems(value);
    if (ofShape.length > 0) return { ok: false, problems: ofShape };
    // The schema was checked above.
    const manifest = value as ProviderManifest;
    const problems = [
      ...repeatedNames(manifest),
      ...manifest.functions.flatMap(problemsOfFunction),
    ];
    return problems.length === 0 ? { ok: true, manifest } : { ok: false, problems };
  };
}

function repeatedNames({ params, functions }: ProviderManifest): readonly Problem[] {
  const seen = new Set<string>(params === undefined ? [] : [params]);
  return functions.flatMap((described, index) =>
    namesOf(described).flatMap((name, nameIndex) => {
      const isRepeated = seen.has(name);
      seen.add(name);
      const place = nameIndex === 0 ? ['name'] : ['aliases', nameIndex - 1];
      const message = `there are two functions "${name}"`;
      return isRepeated ? [{ path: ['functions', index, ...place], message }] : [];
    }),
  );
}

function problemsOfFunction(
  described: ProviderFunctionManifest,
  index: number,
): readonly Problem[] {
  const problems = [
    ...problemsOfInputs(described.inputs ?? {}).map(({ path, message }) => ({
      path: ['inputs', ...path],
      message,
    })),
    ...stepLists(described).flatMap(({ path, steps }) => problemsOfForms(path, steps)),
    ...(described.attach ?? []).flatMap(problemsOfAttachment),
    ...expressionProblems(described),
  ];
  return problems.map((problem) => ({ ...problem, path: ['functions', index, ...problem.path] }));
}

/** Keys that mean something in one form of a step only. */
const FORM_OF_KEY = [
  ['shell', 'run'],
  ['with', 'uses'],
] as const;

function problemsOfForms(path: DocumentPath, steps: readonly object[]): readonly Problem[] {
  return steps.flatMap((step, index) =>
    FORM_OF_KEY.filter(([key, form]) => Object.hasOwn(step, key) && !Object.hasOwn(step, form)).map(
      ([key, form]) => ({
        path: [...path, index],
        key,
        message: `"${key}" belongs to steps with "${form}".`,
      }),
    ),
  );
}

function problemsOfAttachment(
  { path, type, name }: ProviderAttachment,
  index: number,
): readonly Problem[] {
  const place = ['attach', index];
  const problems = [pathMistake(path)].flatMap((message) =>
    message === null ? [] : [{ path: [...place, 'path'], message }],
  );
  const wrong = [mistakeOfName(name), mistakeOfType(type, path)].flatMap((mistake) =>
    mistake === null ? [] : [{ ...mistake, path: [...place, mistake.key] }],
  );
  return [...problems, ...wrong];
}

type AttachmentMistake = Pick<Problem, 'message' | 'hint'> & { readonly key: 'type' | 'name' };

function mistakeOfName(name: string | undefined): AttachmentMistake | null {
  const message = name === undefined ? null : parameterMistake('name', name);
  return message === null ? null : { key: 'name', message };
}

const MEDIA_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/;

/** A type that nothing reads is no mistake, unless it looks like a report type. */
function mistakeOfType(type: string | undefined, path: string): AttachmentMistake | null {
  // Mistakes in expressions are reported elsewhere.
  if (type === undefined || type.includes('${{')) return null;
  if (isFolderPath(path)) return { key: 'type', message: 'a folder has no type: it is an archive' };
  const meant = meantReportType(type);
  if (meant !== null) {
    const message = `no test results are read of attachments of the type "${type}"`;
    return { key: 'type', message, hint: `did you mean "${meant}"?` };
  }
  const message = MEDIA_TYPE.test(withoutParameters(type))
    ? parameterMistake('type', type)
    : `"${type}" is no media type, such as "application/vnd.opentestfactory.junit-surefire+xml" or "text/html"`;
  return message === null ? null : { key: 'type', message };
}

/** Checks the written part of a path; each call checks the values in it. */
function pathMistake(path: string): string | null {
  const written = writtenPart(path);
  if (written === null) return null;
  const problem = pathProblem(written);
  if (problem !== null) return `the path ${problem}`;
  if (!canBeFound(written.split(/[\\/]/))) {
    return 'before the last part of the path, "**" can stand for any folders, and one folder behind it can be a pattern';
  }
  return /[[\]{}]/.test(written) ? 'of a pattern there are "*" and "?" alone' : null;
}

function canBeFound(parts: readonly string[]): boolean {
  const [first, second, ...more] = parts.slice(0, -1).filter((part) => /[*?]/.test(part));
  const patterns = [second ?? '', parts.at(-1) ?? ''];
  return (
    (first === undefined || first === '**') &&
    more.length === 0 &&
    patterns.every((part) => !part.includes('**'))
  );
}

/** The path with a letter in the place of each expression. Null for one without an end, which is reported elsewhere. */
function writtenPart(path: string): string | null {
  try {
    return splitText(path)
      .map((part) => (part.kind === 'text' ? part.text : 'x'))
      .join('');
  } catch (error) {
    if (isOrchestratorError(error)) return null;
    throw error;
  }
}

function parameterMistake(key: keyof AttachOptions, value: string): string | null {
  try {
    attachHead({ [key]: value });
    return null;
  } catch (error) {
    if (isOrchestratorError(error)) return error.message;
    throw error;
  }
}
