/** The lines of `go test -json`. */

export interface GoEvent {
  readonly action: string;
  readonly package: string;
  /** Empty for an event about the package. */
  readonly test: string;
  /** In seconds. */
  readonly elapsed: number;
  readonly output: string;
  /** The package whose build failed, as `build-output` names it. */
  readonly failedBuild: string;
  readonly importPath: string;
}

/** Null for a line that is no event. */
export function parseGoEvent(line: string): GoEvent | null {
  let event: unknown;
  try {
    event = JSON.parse(line);
  } catch {
    return null;
  }
  if (typeof event !== 'object' || event === null || !('Action' in event)) return null;
  const entries = new Map<string, unknown>(Object.entries(event));
  const text = (key: string): string => {
    const value = entries.get(key);
    return typeof value === 'string' ? value : '';
  };
  const elapsed = entries.get('Elapsed');
  return {
    action: text('Action'),
    package: text('Package'),
    test: text('Test'),
    elapsed: typeof elapsed === 'number' ? elapsed : 0,
    output: text('Output'),
    failedBuild: text('FailedBuild'),
    importPath: text('ImportPath'),
  };
}
