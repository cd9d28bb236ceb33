/** Finds related errors of the validator by their paths, in linear time. */
import type { ErrorObject } from 'ajv';

export class ErrorIndex {
  /** Choices (`anyOf`, `oneOf`) by the path of their schema, then by the path of their value. */
  readonly #choices = new Map<string, Map<string, ErrorObject[]>>();
  /** Errors of the alternatives of each choice. */
  readonly #alternatives = new Map<ErrorObject, ErrorObject[]>();
  /** Paths of maps in which a name was refused. */
  readonly #misnamed = new Set<string>();
  readonly #causes = new Map<string, ErrorObject>();
  readonly #below = new Set<ErrorObject>();

  constructor(errors: readonly ErrorObject[]) {
    for (const error of errors) this.#note(error);
    for (const error of errors) this.#place(error);
  }

  /** True for an error within an alternative of a choice, or about a name that `propertyNames` refused. */
  isBelowOther(error: ErrorObject): boolean {
    return this.#below.has(error);
  }

  alternativesOf(choice: ErrorObject): readonly ErrorObject[] {
    return this.#alternatives.get(choice) ?? [];
  }

  /** The reason for a refused name, for an error of `propertyNames`. */
  causeOf({ instancePath, params }: ErrorObject): ErrorObject | undefined {
    return this.#causes.get(nameKey(instancePath, params.propertyName));
  }

  #note(error: ErrorObject): void {
    const { keyword, schemaPath, instancePath, propertyName } = error;
    if (keyword === 'propertyNames') this.#misnamed.add(instancePath);
    else if (propertyName !== undefined) {
      const key = nameKey(instancePath, propertyName);
      if (!this.#causes.has(key)) this.#causes.set(key, error);
    }
    if (!isChoice(error)) return;
    const byValue = this.#choices.get(schemaPath) ?? new Map<string, ErrorObject[]>();
    byValue.set(instancePath, [...(byValue.get(instancePath) ?? []), error]);
    this.#choices.set(schemaPath, byValue);
  }

  #place(error: ErrorObject): void {
    const around = pathsAround(error.instancePath);
    const isOfName = error.propertyName !== undefined && error.keyword !== 'propertyNames';
    if (isOfName && around.some((path) => this.#misnamed.has(path))) this.#below.add(error);
    for (const [schemaPath, byValue] of this.#choices) {
      if (!error.schemaPath.startsWith(`${schemaPath}/`)) continue;
      for (const choice of around.flatMap((path) => byValue.get(path) ?? [])) {
        if (choice === error) continue;
        this.#below.add(error);
        const alternatives = this.#alternatives.get(choice);
        if (alternatives === undefined) this.#alternatives.set(choice, [error]);
        else alternatives.push(error);
      }
    }
  }
}

export const isChoice = ({ keyword }: ErrorObject): boolean =>
  keyword === 'anyOf' || keyword === 'oneOf';

const nameKey = (path: string, name: unknown): string => `${path}\n${String(name)}`;

/** The path and all paths that lead to it. */
function pathsAround(path: string): readonly string[] {
  const paths = [path];
  for (let end = path.lastIndexOf('/'); end !== -1; end = path.lastIndexOf('/', end - 1)) {
    paths.push(path.slice(0, end));
    if (end === 0) break;
  }
  return paths;
}
