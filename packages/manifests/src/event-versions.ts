/**
 * Versions of events. Plugins ask for a kind of event in the one version that they were made for, and check what they get by the schema
 * of that version, so each is given the event as its version has it.
 */
import {
  EVENT_VERSIONS,
  type ExecutionCommandEvent,
  isRunEvent,
  type LoggedEvent,
  type ProviderCommandEvent,
  type RunEventKind,
  UNGROUPED,
  UNGROUPED_VERSION,
} from './events.ts';

const FIRST = 'v1alpha1';
const GENERATIONS = [FIRST, 'v1beta1', 'v1'];

/** What plugins ask for, per kind (wire facts 2.2). */
const KNOWN: Readonly<Record<RunEventKind, readonly string[]>> = {
  Workflow: GENERATIONS,
  ExecutionCommand: GENERATIONS,
  ProviderCommand: GENERATIONS,
  ProviderResult: GENERATIONS,
  GeneratorCommand: [FIRST],
  GeneratorResult: GENERATIONS,
  ExecutionResult: [FIRST, 'v1'],
  ExecutionError: [FIRST],
  Notification: [FIRST, 'v1alpha2'],
  WorkflowResult: [FIRST],
  WorkflowCancellation: ['v1'],
  WorkflowCompleted: [FIRST, 'v1'],
  WorkflowCanceled: [FIRST, 'v1'],
};

/**
 * The version under which an event comes to a subscription that asks for a version, or for none (null). One that the kind does not
 * have is never given.
 */
export function versionFor(
  apiGroup: string,
  event: LoggedEvent,
  asked: string | null,
): string | undefined {
  if (!isRunEvent(event)) return event.apiVersion;
  const { kind } = event;
  const isUngrouped = UNGROUPED.has(kind);
  if (isUngrouped && asked === UNGROUPED_VERSION) return asked;
  if (KNOWN[kind].some((version) => asked === `${apiGroup}/${version}`)) return asked ?? undefined;
  return isUngrouped ? `${apiGroup}/${EVENT_VERSIONS[kind]}` : event.apiVersion;
}

/** The event as that version has it; the same object if there is nothing to change. */
export function eventInVersion(event: LoggedEvent, apiVersion: string | undefined): LoggedEvent {
  if (!isRunEvent(event) || apiVersion === undefined) return event;
  const named = event.apiVersion === apiVersion ? event : { ...event, apiVersion };
  const version = apiVersion.split('/').at(-1) ?? '';
  if (named.kind === 'ExecutionCommand') return commandInVersion(named, version);
  if (named.kind === 'ProviderCommand') return callInVersion(named, version);
  return named;
}

function commandInVersion(command: ExecutionCommandEvent, version: string): ExecutionCommandEvent {
  const placed = withTags(command, command.metadata.channel_os, version);
  const { variables } = placed;
  if (version !== FIRST || variables === undefined) return placed;
  return { ...placed, variables: asTexts(variables) };
}

function callInVersion(call: ProviderCommandEvent, version: string): ProviderCommandEvent {
  const placed = withTags(call, osOf(call.contexts.runner), version);
  const { variables } = placed.step;
  if (version !== FIRST || typeof variables !== 'object' || variables === null) return placed;
  return { ...placed, step: { ...placed.step, variables: asTexts({ ...variables }) } };
}

/** Before v1 a command had a tag. The system is one that each environment has; before one is chosen there is none to name. */
function withTags<Command extends ExecutionCommandEvent | ProviderCommandEvent>(
  command: Command,
  os: string | undefined,
  version: string,
): Command {
  if (version === 'v1' || os === undefined || command['runs-on'].length > 0) return command;
  return { ...command, 'runs-on': [os] };
}

function osOf(runner: unknown): string | undefined {
  if (typeof runner !== 'object' || runner === null || !('os' in runner)) return undefined;
  return typeof runner.os === 'string' ? runner.os : undefined;
}

/** At first variables were texts, which every shell expands. */
function asTexts(variables: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(variables).map(([name, variable]) => [name, textOf(variable)]),
  );
}

function textOf(variable: unknown): string {
  if (typeof variable !== 'object' || variable === null) return String(variable);
  return 'value' in variable ? String(variable.value) : '';
}
