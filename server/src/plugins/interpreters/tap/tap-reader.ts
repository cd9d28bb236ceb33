/**
 * Reads the Test Anything Protocol, versions 12 to 14. A test point with subtests is a case only if it failed while they passed.
 * Planned points that did not run are an error, as is a bail-out.
 */
import { OrchestratorError } from '@tutti/manifests';
import type { FormatReader, FoundCase, ReportSink } from '../format-reader.ts';
import { BoundedText, detailsOf, joinNames, nameOf } from '../text/bounded-text.ts';
import { milliseconds } from '../text/duration.ts';
import { endedCase } from '../text/ended-case.ts';
import { createLineReader, type LineHandler } from '../text/line-reader.ts';
import { parseTapLine, type TapPoint } from './tap-lines.ts';

const TAP_LIMITS = {
  lineLength: 64 * 1024,
  /** Subtests in subtests. */
  depth: 64,
} as const;

const INDENTATION = 4;

/** One level of the report: the report itself, or subtests. */
interface Level {
  /** Name of the test point, if it is known before its subtests. */
  name: string;
  points: number;
  failures: number;
  /** Number of planned points; null before the plan. */
  planned: number | null;
  /** The test point that precedes these subtests, if any. */
  readonly opener: PendingPoint | null;
}

interface PendingPoint {
  readonly point: TapPoint;
  readonly number: number;
  readonly suite: string | null;
  readonly hadSubtests: boolean;
  readonly hadFailures: boolean;
  readonly text: BoundedText;
}

export function createTapReader(sink: ReportSink): FormatReader {
  return createLineReader(new TapHandler(sink), TAP_LIMITS.lineLength);
}

class TapHandler implements LineHandler {
  readonly #sink: ReportSink;
  readonly #levels: Level[] = [newLevel('')];
  /** Waits for the diagnostics behind it. */
  #pending: PendingPoint | null = null;
  /** Indentation of the current block of YAML; null outside of blocks. */
  #yamlIndent: number | null = null;
  /** Names of subtests by the depth of the comment that names them: for their test point, or for themselves. */
  readonly #announced = new Map<number, string>();
  #isTap = false;
  #hasBailedOut = false;

  constructor(sink: ReportSink) {
    this.#sink = sink;
  }

  line(line: string): void {
    const text = line.trimStart();
    const indent = line.length - text.length;
    if (this.#yamlIndent !== null) this.#yamlLine(text, line);
    else if (!this.#hasBailedOut && text !== '') this.#tapLine(text.trimEnd(), indent);
  }

  end(): void {
    this.abandon();
    if (!this.#isTap) throw new OrchestratorError('Invalid', 'no line is a test or a plan');
    const top = this.#levels[0];
    if (top === undefined || this.#hasBailedOut) return;
    if (top.planned === null) {
      this.#sink.doubt('The report has no plan: it may have been cut off.');
    } else if (top.points < top.planned) {
      const message = `Of ${top.planned} tests that were planned, ${top.points} ran.`;
      this.#fail('(plan)', message);
    }
  }

  abandon(): void {
    this.#yamlIndent = null;
    this.#endPoint();
  }

  #tapLine(text: string, indent: number): void {
    const parsed = parseTapLine(text);
    if (parsed.kind === 'comment') {
      this.#pending?.text.add(`${parsed.text}\n`);
      return;
    }
    if (parsed.kind === 'yaml') {
      this.#yamlIndent = indent;
      return;
    }
    if (parsed.kind === 'other') return;
    this.#isTap = true;
    const depth = Math.min(Math.floor(indent / INDENTATION), TAP_LIMITS.depth);
    if (parsed.kind === 'subtest') this.#announced.set(depth, nameOf(parsed.name));
    else if (parsed.kind === 'close') this.#close(depth);
    else if (parsed.kind === 'bail-out') this.#bailOut(parsed.reason);
    else if (parsed.kind === 'plan') this.#plan(parsed, depth);
    else if (parsed.kind === 'point') this.#point(parsed, depth);
  }

  #plan(
    plan: { readonly first: number; readonly last: number; readonly reason: string | null },
    depth: number,
  ): void {
    this.#endPoint();
    const level = this.#levelAt(depth);
    level.planned = Math.max(0, plan.last - plan.first + 1);
    if (plan.reason === null || depth > 0) return;
    const head = { suite: null, name: '(all tests)', duration: 0 };
    this.#sink.found(endedCase(head, 'SKIPPED', detailsOf({ message: plan.reason })));
  }

  /** The level of that depth; deeper levels stay for the test point that ends them. */
  #levelAt(depth: number): Level {
    for (let next = this.#levels.length; next <= depth; next += 1) {
      const name = this.#announced.get(next - 1) ?? this.#announced.get(next);
      this.#levels.push(newLevel(name ?? ''));
    }
    return this.#levels[depth] ?? newLevel('');
  }

  #point(point: TapPoint, depth: number): void {
    this.#endPoint();
    const level = this.#levelAt(depth);
    const children = this.#levels[depth + 1];
    this.#cutTo(depth);
    level.points += 1;
    const pending = {
      point,
      number: level.points,
      suite: joinNames(this.#levels.map(({ name }) => name)),
      hadSubtests: (children?.points ?? 0) > 0,
      hadFailures: (children?.failures ?? 0) > 0,
      text: new BoundedText(),
    };
    const isFailed = !point.isOk && point.directive === null;
    if (isFailed) level.failures += 1;
    if (point.isOpen)
      this.#levels.push({ ...newLevel(nameOf(point.description)), opener: pending });
    else this.#pending = pending;
  }

  /** Deeper levels have ended. */
  #cutTo(depth: number): void {
    this.#levels.length = depth + 1;
    for (const at of [...this.#announced.keys()]) if (at >= depth) this.#announced.delete(at);
  }

  /** Handles the brace that ends the subtests of a preceding test point. */
  #close(depth: number): void {
    this.#endPoint();
    const { opener = null, points = 0, failures = 0 } = this.#levels[depth + 1] ?? {};
    this.#cutTo(depth);
    if (opener !== null)
      this.#give({ ...opener, hadSubtests: points > 0, hadFailures: failures > 0 });
  }

  #endPoint(): void {
    const ended = this.#pending;
    this.#pending = null;
    if (ended !== null) this.#give(ended);
  }

  #give(ended: PendingPoint): void {
    const { point, hadSubtests, hadFailures } = ended;
    const isFailed = !point.isOk && point.directive === null;
    if (!hadSubtests || (isFailed && !hadFailures)) this.#sink.found(caseOf(ended));
  }

  #yamlLine(text: string, line: string): void {
    if (text.trimEnd() !== '...') {
      this.#pending?.text.add(`${line.slice(this.#yamlIndent ?? 0)}\n`);
      return;
    }
    this.#yamlIndent = null;
  }

  #bailOut(reason: string): void {
    this.#endPoint();
    this.#hasBailedOut = true;
    this.#fail('(bail out)', reason === '' ? 'The tests bailed out.' : `Bail out: ${reason}`);
  }

  #fail(name: string, message: string): void {
    this.#sink.generalError(message);
    this.#sink.found(
      endedCase({ suite: null, name, duration: 0 }, 'ERROR', detailsOf({ message })),
    );
  }
}

function newLevel(name: string): Level {
  return { name, points: 0, failures: 0, planned: null, opener: null };
}

function caseOf({ point, number, suite, text }: PendingPoint): FoundCase {
  const said = text.value;
  const duration = Number(/^\s*duration_ms:\s*['"]?([\d.]+)/m.exec(said)?.[1] ?? point.duration);
  const name = nameOf(point.description) || `test ${point.number || number}`;
  const head = { suite, name, duration: milliseconds(duration) };
  // A test marked as todo counts only when it passes.
  if (point.directive === 'skip' || (point.directive === 'todo' && !point.isOk)) {
    return endedCase(head, 'SKIPPED', detailsOf({ message: point.reason }));
  }
  if (point.isOk) return endedCase(head, 'SUCCESS', {});
  const message = /^\s*(?:message|error):\s*(?:[|>]-?\s*\n\s*)?['"]?(.*?)['"]?$/m.exec(said)?.[1];
  return endedCase(head, 'FAILURE', detailsOf({ message, text: said }));
}
