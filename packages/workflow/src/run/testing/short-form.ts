/** An event in a few words: its kind and the fields that matter for what a run does. */
import {
  type ExecutionCommandEvent,
  type ExecutionResultEvent,
  type NotificationEvent,
  type RunEvent,
  STEP_SEQUENCE,
} from '@tutti/manifests';
import { extension } from '../extensions.ts';

export function shortForm(event: RunEvent): string {
  const { name } = event.metadata;
  switch (event.kind) {
    case 'Workflow':
      return `workflow ${name}`;
    case 'ExecutionCommand':
      return shortCommand(event);
    case 'ExecutionResult':
      return shortResult(event);
    case 'ProviderCommand':
      return `call ${event.metadata.step_id} ${event.step.uses}`;
    case 'ProviderResult':
      return `answer ${event.metadata.step_id}: ${event.steps.length} steps`;
    case 'GeneratorCommand':
      return `generate ${name}: ${event.generator}`;
    case 'GeneratorResult':
      return `expand ${name}: ${Object.keys(event.jobs).join(' ')}`;
    case 'ExecutionError':
      return `error ${event.details.error}`;
    case 'Notification':
      return shortNotification(event);
    case 'WorkflowResult':
      return `report ${name}`;
    case 'WorkflowCancellation':
      return `cancel ${event.details?.reason ?? ''}`.trim();
    case 'WorkflowCompleted':
      return 'completed';
    case 'WorkflowCanceled':
      return `canceled ${JSON.stringify(event.details)}`;
  }
}

function shortCommand({ metadata, scripts, ...event }: ExecutionCommandEvent): string {
  const { name, step_sequence_id: sequence, step_id: stepId } = metadata;
  switch (sequence) {
    case STEP_SEQUENCE.request:
      return `request ${name} on ${event['runs-on'].join('+')}`;
    case STEP_SEQUENCE.release:
      return `release ${name}: ${shortConclusion(metadata)}`;
    case STEP_SEQUENCE.terminate:
      return `stop ${stepId}: ${extension.text(metadata, 'tutti.cause')}`;
    default:
      return `run ${name} ${sequence}: ${scripts.join(' ; ')}`;
  }
}

function shortConclusion(metadata: ExecutionCommandEvent['metadata']): string {
  const conclusion = extension.text(metadata, 'tutti.conclusion');
  return metadata['tutti.continue-on-error'] === true ? `${conclusion}, forgiven` : `${conclusion}`;
}

function shortResult({ metadata, status }: ExecutionResultEvent): string {
  const { name, step_sequence_id: sequence, channel_id: channelId } = metadata;
  if (sequence === STEP_SEQUENCE.request) return `offer ${name}: ${channelId}`;
  if (sequence === STEP_SEQUENCE.release) return `released ${name}`;
  return `result ${name} ${sequence}: ${status}`;
}

function shortNotification({ metadata, spec }: NotificationEvent): string {
  const waiting = spec['tutti.waiting'];
  const ended = extension.text(spec, 'tutti.job');
  const granted = extension.text(spec, 'tutti.granted');
  if (waiting !== undefined) {
    return `waits ${extension.text(metadata, 'tutti.job') ?? 'workflow'}: ${waiting.reason}`;
  }
  if (ended !== null) return `ended ${ended}: ${spec.conclusion}`;
  const superseded = extension.supersededBy(spec);
  if (superseded !== null) return `superseded by ${superseded.by}`;
  const halted = extension.text(spec, 'tutti.halted');
  const spared = extension.text(spec, 'tutti.spared');
  if (halted !== null) return `halted ${halted}${spared === null ? '' : ` but ${spared}`}`;
  if (granted !== null) return `granted ${granted === '' ? 'workflow' : granted}`;
  if (spec['tutti.timeout'] === 'job') return 'overtime';
  if (spec['tutti.timeout'] === 'step') return `overtime ${metadata.step_id}`;
  if (!extension.isTrue(spec, 'tutti.step-ended')) return `note ${metadata.name}`;
  const { outcome, conclusion } = spec;
  return `step ${metadata.step_id}: ${outcome === conclusion ? outcome : `${outcome}, forgiven`}`;
}
