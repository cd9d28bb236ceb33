/**
 * Turns the output of an environment into log lines and requests (wire facts part 5). The state is plain JSON. It is kept between two
 * batches of output, and handed from step to step of a job.
 */
import { countOf, meantReportType, type Steps } from '@tutti/manifests';
import { addTested, NOTHING_TESTED, TESTED_LIMITS, type Tested } from '../facts/tested.ts';
import { countFile, countReport, type FileCount, isReportType } from './ignored-files.ts';
import { searchAhead } from './mask-search.ts';
import {
  addMasks,
  maskBeginning,
  maskLine,
  maskSteps,
  masksLength,
  maskUnfinished,
} from './masks.ts';
import { outputMessages } from './output-messages.ts';
import { isChoosing, misspeltParameters, wrongParameters } from './transfer-parameters.ts';
import {
  decodedValue,
  mayBeCommand,
  parseWorkflowCommand,
  type TransferKind,
  type WorkflowCommand,
} from './workflow-command.ts';
import { maskWrapped, type OpenLines } from './wrapped-lines.ts';

/** A longer line is cut, after masking. */
export const LINE_LENGTH_MAX = 64 * 1024;
/** The rest of a longer line is neither masked nor shown: masking takes time. */
const MASKED_LENGTH_MAX = 1.25 * LINE_LENGTH_MAX;
export const MASKS_MAX = 1000;
/** Private keys and tokens are a few thousand characters. */
export const MASK_LENGTH_MAX = 8192;
/** Characters of all masks of a job together, in all written forms. This bounds the cost of the search. */
export const MASKS_LENGTH_MAX = 256 * 1024;
export const OUTPUTS_MAX = 256;
/** Most characters of all output values of a step together. */
export const OUTPUTS_LENGTH_MAX = 1024 * 1024;
/** Files that one step may attach or ask for. */
export const TRANSFERS_MAX = 1024;

/** Exit code of a step one of whose workflow commands failed. */
export const COMMAND_FAILED_STATUS = 2;

export interface OutputState {
  /** Belongs to the job; in the order in which they were given. */
  readonly masks: readonly string[];
  /** Belongs to the job: not null while output is dropped, until the line `::{token}::`. */
  readonly stopToken: string | null;
  readonly outputs: Readonly<Record<string, string>>;
  readonly transferCount: number;
  /** Files beyond `TRANSFERS_MAX`; absent while there are none. */
  readonly ignored?: FileCount;
  /** Reports that will not be attached, as there were too many files; absent while there are none. */
  readonly missingReports?: FileCount;
  /** Reports that the step says are not there; absent while there are none. */
  readonly absentReports?: FileCount;
  /** Versions and checkouts that the step named; absent while there are none. */
  readonly tested?: Tested;
  /** Unmasked rest of an unfinished line, which may begin a masked text. Null where the rest of the line is not shown. */
  readonly held?: Readonly<Partial<Record<OutputStream, string | null>>>;
  /** The end of a stream's last line, where the next line may continue a masked text. */
  readonly wrapped?: Readonly<Partial<Record<OutputStream, OpenLines>>>;
  /** Between `::group::` and `::endgroup::` of a step, whose lines stand further in. */
  readonly isGrouped?: boolean;
  /** Replaces the exit code of the step when it is not null. */
  readonly statusOverride: number | null;
}

export type OutputStream = 'stdout' | 'stderr';

export interface OutputLines {
  readonly stream: OutputStream;
  readonly lines: readonly string[];
  /** The last line is not complete: it goes on with the next one of the stream. */
  readonly open?: boolean;
  /** The last line has no end, as its process was stopped: more of it may have been meant to come. */
  readonly cut?: boolean;
  /** Characters of the last line that were left out. They are only counted: a line so long is cut anyway. */
  readonly omitted?: number;
}

/** A file to fetch from the environment (`attach`, `upload`) or to bring there (`download`, `put`). */
export interface OutputRequest {
  readonly kind: TransferKind;
  readonly path: string;
  readonly parameters: Readonly<Record<string, string>>;
}

export interface OutputReading {
  readonly state: OutputState;
  readonly logs: string[];
  readonly requests: OutputRequest[];
}

/** State before the first step of a job. `secrets` are masked from the start. */
export function createOutputState(secrets: readonly string[] = []): OutputState {
  return {
    masks: addMasks([], secrets),
    stopToken: null,
    outputs: {},
    transferCount: 0,
    statusOverride: null,
  };
}

/** State before the next step of the same job. */
export function carryOver({ masks, stopToken }: OutputState): OutputState {
  return { ...createOutputState(), masks, stopToken };
}

/** Longer lines are searched ahead: masking takes up to a millisecond for each 4 KiB. */
const SHORT_LENGTH_MAX = 8 * 1024;

/** Steps that take long in reading lines, done ahead. `readOutput` then takes a few milliseconds at most. */
export function* readAhead(
  { masks, held }: OutputState,
  { stream, lines, open = false }: OutputLines,
): Steps<void> {
  yield* maskSteps(masks);
  if (masks.length === 0) return;
  for (const line of lines.filter(({ length }) => length > SHORT_LENGTH_MAX)) {
    const before = held?.[stream];
    const isPiece = open || before !== undefined;
    yield* searchAhead(
      masks,
      isPiece ? `${before ?? ''}${line}` : line.trimEnd().slice(0, MASKED_LENGTH_MAX),
    );
  }
}

/** Reads a batch of output in the order given. Lines of `stderr` are never commands. */
export function readOutput(state: OutputState, batch: readonly OutputLines[]): OutputReading {
  let reading: OutputReading = { state, logs: [], requests: [] };
  for (const output of batch) {
    for (let index = 0; index < output.lines.length; index += 1) {
      index = addPlainLines(reading, output, index);
      reading = readLine(reading, output, index);
    }
  }
  return reading;
}

/** Adds lines that are shown as they are, up to the first one that may be something else. Returns its index; the last one always is. */
function addPlainLines(
  { state, logs }: OutputReading,
  { stream, lines }: OutputLines,
  from: number,
): number {
  if (!isPlain(state, stream)) return from;
  let index = from;
  for (; index < lines.length - 1; index += 1) {
    const line = lines[index] ?? '';
    if (line.length > LINE_LENGTH_MAX || mayBeCommand(line)) break;
    logs.push(isInk(line.charCodeAt(line.length - 1)) ? line : line.trimEnd());
  }
  return index;
}

/** True where nothing is masked, left out or moved in. */
const isPlain = ({ masks, stopToken, held, isGrouped }: OutputState, stream: OutputStream) =>
  masks.length === 0 && stopToken === null && held?.[stream] === undefined && isGrouped !== true;

/** No blank and no control character, as far as ASCII goes. */
const isInk = (code: number): boolean => code > 0x20 && code < 0x7f;

function readLine(reading: OutputReading, output: OutputLines, index: number): OutputReading {
  const { stream, lines } = output;
  const end = endOf(output, index);
  return end === 'open' || reading.state.held?.[stream] !== undefined
    ? readPiece(reading, stream, lines[index] ?? '', end)
    : readWhole(reading, output, index, end);
}

/** A line has its end (`whole`), continues in the next piece (`open`), or was left without its end (`cut`). */
type LineEnd = 'whole' | 'open' | 'cut';

function endOf({ lines, open = false, cut = false }: OutputLines, index: number): LineEnd {
  if (index < lines.length - 1) return 'whole';
  return open ? 'open' : cut ? 'cut' : 'whole';
}

function readWhole(
  reading: OutputReading,
  { stream, lines, omitted = 0 }: OutputLines,
  index: number,
  end: LineEnd,
): OutputReading {
  const line = lines[index] ?? '';
  const missing = index === lines.length - 1 ? omitted : 0;
  if (stream === 'stderr' || !mayBeCommand(line)) {
    const isDropped = stream === 'stdout' && reading.state.stopToken !== null;
    return isDropped ? reading : logOutput(reading, stream, line, { end, missing });
  }
  return readCommand(reading, line, end);
}

/** A piece of a line that is too long to come at once. Only a whole line can be a command. */
function readPiece(
  reading: OutputReading,
  stream: OutputStream,
  piece: string,
  end: LineEnd,
): OutputReading {
  const isOpen = end === 'open';
  const { held = {}, masks, stopToken } = reading.state;
  const before = held[stream];
  const isCommand = before === undefined && stream === 'stdout' && mayBeCommand(piece);
  if (before === null || isCommand || (stopToken !== null && stream === 'stdout')) {
    const logged =
      isCommand && stopToken === null
        ? failCommand(reading, outputMessages.commandTooLong(LINE_LENGTH_MAX))
        : reading;
    return withHeld(logged, stream, isOpen ? null : undefined);
  }
  const text = `${before ?? ''}${piece}`;
  const { shown, length } = isOpen
    ? maskBeginning(masks, text)
    : { shown: maskEnded(masks, text, end).trimEnd(), length: text.length };
  for (let at = 0; at < shown.length; at += LINE_LENGTH_MAX) {
    addLog(reading, shown.slice(at, at + LINE_LENGTH_MAX));
  }
  const rest = length === null ? null : text.slice(length);
  return withHeld(reading, stream, isOpen ? rest : undefined);
}

/** Undefined where nothing goes on. */
function withHeld(
  reading: OutputReading,
  stream: OutputStream,
  value: string | null | undefined,
): OutputReading {
  const { held: before, ...state } = reading.state;
  const { [stream]: _, ...others } = before ?? {};
  const held = value === undefined ? others : { ...others, [stream]: value };
  const isAny = Object.keys(held).length > 0;
  return { ...reading, state: isAny ? { ...state, held } : state };
}

function logOutput(
  reading: OutputReading,
  stream: OutputStream,
  line: string,
  { end, missing }: { readonly end: LineEnd; readonly missing: number },
): OutputReading {
  const { masks, wrapped } = reading.state;
  const before = wrapped?.[stream] ?? null;
  const isLong = line.length > MASKED_LENGTH_MAX || missing > 0;
  if (isLong || (end === 'cut' && before === null)) {
    return withWrapped(logLine(reading, line, end, missing), stream, null);
  }
  const { shown, open } = maskWrapped(masks, before, line.trimEnd());
  addLog(reading, cutLine(shown.trimEnd()));
  return withWrapped(reading, stream, open);
}

function withWrapped(
  reading: OutputReading,
  stream: OutputStream,
  open: OpenLines | null,
): OutputReading {
  const before = reading.state.wrapped;
  if (open !== null) return withState(reading, { wrapped: { ...before, [stream]: open } });
  if (before?.[stream] === undefined) return reading;
  const { wrapped: _, ...state } = reading.state;
  const { [stream]: _ended, ...others } = before;
  return {
    ...reading,
    state: Object.keys(others).length > 0 ? { ...state, wrapped: others } : state,
  };
}

// The lists of a reading grow in place. They belong to this call. Copying them for each line would be quadratic.
function logLine(
  reading: OutputReading,
  line: string,
  end: LineEnd = 'whole',
  omitted = 0,
): OutputReading {
  addLog(reading, shownLine(reading.state.masks, line, end, omitted));
  return reading;
}

/** A line whose beginning readers of logs know, such as `WARNING,`: it stands as it is, also in a group. */
function logMessage(reading: OutputReading, line: string): OutputReading {
  reading.logs.push(shownLine(reading.state.masks, line, 'whole'));
  return reading;
}

const GROUP_INDENTATION = '  ';

function addLog({ state, logs }: OutputReading, line: string): void {
  logs.push(state.isGrouped === true && line !== '' ? GROUP_INDENTATION + line : line);
}

/** A cut line may end with the beginning of a mask, so that is hidden, too. */
function maskEnded(masks: readonly string[], line: string, end: LineEnd): string {
  return end === 'cut' ? maskUnfinished(masks, line) : maskLine(masks, line.trimEnd());
}

function shownLine(
  masks: readonly string[],
  line: string,
  end: LineEnd,
  omitted: number = 0,
): string {
  const text = omitted === 0 ? line.trimEnd() : line;
  if (text.length <= MASKED_LENGTH_MAX && omitted === 0) {
    return cutLine(maskEnded(masks, line, end).trimEnd());
  }
  // The end of the head may be the beginning of a masked text, and is not shown.
  const { shown, length } = maskBeginning(masks, text.slice(0, MASKED_LENGTH_MAX));
  return cutLine(shown, text.length - (length ?? text.length) + omitted);
}

/** `rest`: so many more characters are not here. */
function cutLine(line: string, rest = 0): string {
  if (line.length + rest <= LINE_LENGTH_MAX) return line;
  const last = line.charCodeAt(LINE_LENGTH_MAX - 1);
  const isHalfPair = last >= 0xd800 && last <= 0xdbff;
  const shown = line.slice(0, isHalfPair ? LINE_LENGTH_MAX - 1 : LINE_LENGTH_MAX);
  return `${shown}... (${countOf(line.length - shown.length + rest, 'more character')})`;
}

function readCommand(reading: OutputReading, line: string, end: LineEnd): OutputReading {
  const { stopToken } = reading.state;
  const text = line.trimEnd();
  if (stopToken !== null) {
    return text === `::${stopToken}::` ? withState(reading, { stopToken: null }) : reading;
  }
  const command = parseWorkflowCommand(text);
  return command === null ? logLine(reading, text, end) : obey(reading, command);
}

function withState(reading: OutputReading, change: Partial<OutputState>): OutputReading {
  return { ...reading, state: { ...reading.state, ...change } };
}

function failCommand(reading: OutputReading, message: string): OutputReading {
  return withState(logMessage(reading, message), { statusOverride: COMMAND_FAILED_STATUS });
}

function obey(reading: OutputReading, command: WorkflowCommand): OutputReading {
  switch (command.kind) {
    case 'set-output':
      return setOutput(reading, command.name, command.value);
    case 'transfer':
      return requestTransfer(reading, command);
    case 'missing-report':
      return isReportType(command.type)
        ? withState(reading, {
            absentReports: countFile(reading.state.absentReports, command.path),
          })
        : reading;
    case 'version':
      return noteVersion(reading, command.text);
    case 'checkout':
      return noteCheckout(reading, command);
    case 'message':
      return logMessage(reading, `${command.level},${command.message}`);
    case 'add-mask':
      return maskFromNowOn(reading, command.text);
    case 'stop-commands':
      return withState(reading, { stopToken: command.token });
    case 'group':
      return beginGroup(reading, command.title);
    case 'end-group':
      return withState(reading, { isGrouped: false });
  }
}

/** Groups stand beside each other: a new one ends the one before. */
function beginGroup(reading: OutputReading, title: string): OutputReading {
  const outside = withState(reading, { isGrouped: false });
  return withState(title === '' ? outside : logLine(outside, title), { isGrouped: true });
}

function setOutput(reading: OutputReading, name: string, value: string): OutputReading {
  const outputs = { ...reading.state.outputs, [name]: value };
  const values = Object.values(outputs);
  if (values.length > OUTPUTS_MAX) {
    return failCommand(reading, outputMessages.tooManyOutputs(name, OUTPUTS_MAX));
  }
  if (values.reduce((length, each) => length + each.length, 0) > OUTPUTS_LENGTH_MAX) {
    return failCommand(reading, outputMessages.outputsTooLong(name, OUTPUTS_LENGTH_MAX));
  }
  return withState(reading, { outputs });
}

function noteVersion(reading: OutputReading, text: string): OutputReading {
  const { versions, versionLength } = TESTED_LIMITS;
  if (text.length > versionLength) {
    return failCommand(reading, outputMessages.versionTooLong(versionLength));
  }
  const before = reading.state.tested ?? NOTHING_TESTED;
  const isNew = !before.versions.includes(text);
  if (isNew && before.versions.length >= versions) {
    return failCommand(reading, outputMessages.tooManyVersions(versions));
  }
  const tested = addTested(before, { versions: [text], checkouts: [] });
  return withState(reading, { tested });
}

/** One beyond the limits is left out: the step did its work. */
function noteCheckout(
  reading: OutputReading,
  { repository, commit, branch }: Extract<WorkflowCommand, { kind: 'checkout' }>,
): OutputReading {
  const { repositoryLength, branchLength } = TESTED_LIMITS;
  if (repository.length > repositoryLength || (branch ?? '').length > branchLength) return reading;
  const before = reading.state.tested ?? NOTHING_TESTED;
  const checkouts = [{ repository, commit, branch }];
  return withState(reading, { tested: addTested(before, { versions: [], checkouts }) });
}

function maskFromNowOn(reading: OutputReading, text: string): OutputReading {
  const { masks } = reading.state;
  if (text.length > MASK_LENGTH_MAX) {
    return failCommand(reading, outputMessages.maskTooLong(MASK_LENGTH_MAX));
  }
  const more = addMasks(masks, [text.trim(), decodedValue(text).trim()]);
  if (more.length > MASKS_MAX) {
    return failCommand(reading, outputMessages.tooManyMasks(MASKS_MAX));
  }
  return masksLength(more) > MASKS_LENGTH_MAX
    ? failCommand(reading, outputMessages.masksTooLong(MASKS_LENGTH_MAX))
    : withState(reading, { masks: more });
}

type Transfer = Extract<WorkflowCommand, { kind: 'transfer' }>;

/** An invalid parameter fails the step, but files of it are fetched all the same. A report is needed most when a step fails. */
function requestTransfer(reading: OutputReading, command: Transfer): OutputReading {
  const { transfer, path } = command;
  const { values, invalid } = command.parameters;
  const checked = invalid.reduce(
    (next, piece) => failCommand(next, outputMessages.parameterInvalid(piece)),
    reading,
  );
  // A download without a path goes into the workspace; all other transfers need a path.
  if (transfer !== 'download' && path.trim() === '') {
    return failCommand(checked, outputMessages.pathMissing(transfer));
  }
  const wrong = wrongParameters(transfer, values);
  const isChoice = isChoosing(transfer);
  // Without a choice all artifacts would be sent, which nobody wanted who meant to choose.
  if (wrong.length > 0 || (isChoice && invalid.length > 0)) {
    return wrong.reduce(failCommand, checked);
  }
  const request = { kind: transfer, path, parameters: values };
  if (checked.state.transferCount >= TRANSFERS_MAX) {
    return withState(checked, {
      ...missReport(checked.state, request),
      ignored: countFile(checked.state.ignored, path),
      statusOverride: COMMAND_FAILED_STATUS,
    });
  }
  checked.requests.push(request);
  const logged = warningsOf(request).reduce(logMessage, checked);
  return withState(logged, { transferCount: checked.state.transferCount + 1 });
}

/** The file of the request will not be there. */
export function missReport(state: OutputState, request: OutputRequest): OutputState {
  const missed = countReport(state.missingReports, request);
  return missed === undefined ? state : { ...state, missingReports: missed };
}

/** Ends the output of a step: adds the line that counts ignored files. */
export function endOutput(reading: OutputReading): OutputReading {
  const { ignored } = reading.state;
  if (ignored === undefined) return reading;
  const { first, count } = ignored;
  return logMessage(reading, outputMessages.tooManyTransfers(first, count, TRANSFERS_MAX));
}

/** Warnings for the author of a file request: misspelt parameters, and a report type that does not exist. */
export function warningsOf({ kind, path, parameters }: OutputRequest): readonly string[] {
  if (kind !== 'attach' && kind !== 'upload') return [];
  const { type } = parameters;
  const meant = type === undefined ? null : meantReportType(type);
  const ofType =
    type === undefined || meant === null
      ? []
      : [outputMessages.reportTypeUnknown(path, type, meant)];
  return [...misspeltParameters(kind, parameters), ...ofType];
}
