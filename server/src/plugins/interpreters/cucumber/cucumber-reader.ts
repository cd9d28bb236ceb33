/**
 * Reads the JSON of Cucumber and of compatible tools. A scenario, and each example of an outline, is a test case. Its steps,
 * hooks and background decide its outcome. Undefined or ambiguous steps make it an error, because nothing was tested. Pending
 * steps are known to their author, so the scenario is skipped.
 */
import { OrchestratorError, type TestResultStatus } from '@tutti/manifests';
import type { FormatReader, FoundCase, ReportSink } from '../format-reader.ts';
import {
  createJsonReader,
  type JsonObject,
  type JsonValue,
  listOf,
  numberOf,
  objectOf,
  textOf,
} from '../json/json-reader.ts';
import { detailsOf, nameOf } from '../text/bounded-text.ts';
import { milliseconds } from '../text/duration.ts';
import { endedCase } from '../text/ended-case.ts';
import { caseWithPlace } from '../text/failure-place.ts';
import { HeldCases } from '../text/held-cases.ts';

const SKIPPED = ['embeddings', 'output', 'rows', 'doc_string', 'arguments', 'match', 'comments'];

export function createCucumberReader(sink: ReportSink): FormatReader {
  const features = new Features(sink);
  return createJsonReader({
    taken: ['*/name', '*/uri', '*/elements/*'],
    skipped: SKIPPED,
    take: (path, value) => features.take(path, value),
    leave: (path, kind) => features.leave(path, kind),
    end: () => features.end(),
    abandon: () => features.endFeature(),
  });
}

/** The name of a feature may follow its scenarios, so they wait for it. */
class Features {
  readonly #held: HeldCases;
  #name = '';
  #uri = '';
  /** Steps of the background in front of the next scenario. */
  #background: readonly JsonValue[] = [];
  #isList = false;
  #examples = new Map<string, number>();

  constructor(sink: ReportSink) {
    this.#held = new HeldCases(sink, (found, key) => {
      const [line, start, id] = key.split(/:(\d*):(.*)/s);
      const placed = caseWithPlace(found, this.#uri, line);
      const place = start && this.#uri ? { file: `${this.#uri}:${start}` } : {};
      return { ...placed, ...place, suite: this.#suite() ?? (id || null) };
    });
  }

  take(path: string, value: JsonValue): void {
    if (path === '*/name') this.#name = nameOf(textOf(value));
    else if (path === '*/uri') this.#uri = nameOf(textOf(value));
    else this.#element(objectOf(value));
  }

  leave(path: string, kind: 'object' | 'list'): void {
    if (path === '*') this.endFeature();
    else if (path === '') this.#isList = kind === 'list';
  }

  endFeature(): void {
    this.#held.release();
    this.#name = '';
    this.#uri = '';
    this.#background = [];
    this.#examples.clear();
  }

  end(): void {
    if (!this.#isList)
      throw new OrchestratorError('Invalid', 'the document is no list of features');
  }

  #suite(): string | null {
    return this.#name || this.#uri.split(/[\\/]/).at(-1) || null;
  }

  #element(element: JsonObject): void {
    const isBackground =
      textOf(element.type) === 'background' || textOf(element.keyword) === 'Background';
    if (isBackground) {
      this.#background = listOf(element.steps);
      return;
    }
    const steps = [
      ...listOf(element.before),
      ...this.#background,
      ...listOf(element.steps).flatMap(withHooks),
      ...listOf(element.after),
    ];
    this.#background = [];
    const [featureId = ''] = textOf(element.id).split(';');
    const { found, step } = caseOf(this.#nameOf(element), steps.map(objectOf));
    // Hooks have no line.
    const start = numberOf(element.line) || '';
    const line = numberOf(step?.line) || start;
    this.#held.add(found, `${line}:${start}:${nameOf(featureId)}`);
  }

  /** Examples of an outline share the name of the outline. */
  #nameOf(element: JsonObject): string {
    const name = nameOf(textOf(element.name)) || '(unnamed)';
    const isOutline =
      /outline|template/i.test(textOf(element.keyword)) || /;\d+$/.test(textOf(element.id));
    if (!isOutline) return name;
    const count = (this.#examples.get(name) ?? 0) + 1;
    if (this.#examples.size < 10_000) this.#examples.set(name, count);
    return `${name} - Example #${count}`;
  }
}

/** Hooks of a single step have their place around it. */
function withHooks(step: JsonValue): readonly JsonValue[] {
  const { before, after } = objectOf(step);
  return [...listOf(before), step, ...listOf(after)];
}

/** The case, and the step that decided. */
function caseOf(
  name: string,
  steps: readonly JsonObject[],
): { readonly found: FoundCase; readonly step?: JsonObject } {
  const results = steps.map((step) => ({ step, result: objectOf(step.result) }));
  const nanoseconds = results.reduce((sum, { result }) => sum + numberOf(result.duration), 0);
  const head = { suite: null, name, duration: milliseconds(nanoseconds / 1_000_000) };
  const first = (status: TestResultStatus) =>
    results.find(({ result }) => statusOf(result) === status);
  const worst = first('FAILURE') ?? first('ERROR') ?? first('SKIPPED');
  if (worst === undefined) return { found: endedCase(head, 'SUCCESS', {}) };
  const { step, result } = worst;
  const status = statusOf(result);
  const error = textOf(result.error_message);
  const what = `${textOf(step.keyword)}${textOf(step.name)}`.trim() || 'A hook';
  const [said = ''] = error.split('\n', 1);
  const message = status === 'FAILURE' && said !== '' ? said : `${what}: ${textOf(result.status)}`;
  const text = status === 'FAILURE' ? `${what}\n${error}` : error;
  return { found: endedCase(head, status, detailsOf({ message, text })), step };
}

/** A step without a result is one that was not reached. */
function statusOf(result: JsonObject): TestResultStatus {
  const status = textOf(result.status).toLowerCase();
  if (status === 'passed' || status === '') return 'SUCCESS';
  if (status === 'failed') return 'FAILURE';
  return status === 'skipped' || status === 'pending' ? 'SKIPPED' : 'ERROR';
}
