/** An event in a few words: its kind and the fields that matter to a run. */
import type { RunEvent } from '@tutti/manifests';
import { factOf } from '../../facts/decode.ts';
import type { FactOf } from '../../facts/fact.ts';

export function shortForm(actual: RunEvent): string {
  const fact = factOf(actual);
  const { name } = fact.event.metadata;
  switch (fact.type) {
    case 'RunReceived':
      return `workflow ${name}`;
    case 'EnvironmentRequested':
      return `request ${name} on ${fact.event['runs-on'].join('+')}`;
    case 'JobReleased':
      return `release ${name}: ${fact.result}${fact.isForgiven ? ', forgiven' : ''}`;
    case 'StepStopped':
      return `stop ${fact.event.metadata.step_id}: ${fact.cause}`;
    case 'StepStarted':
      return `run ${name} ${fact.event.metadata.step_sequence_id}: ${fact.event.scripts.join(' ; ')}`;
    case 'EnvironmentOffered':
      return `offer ${name}: ${fact.event.metadata.channel_id}`;
    case 'EnvironmentFreed':
      return `released ${name}`;
    case 'StepAnswered':
      return `result ${name} ${fact.event.metadata.step_sequence_id}: ${fact.event.status}`;
    case 'FunctionCalled':
      return `call ${fact.event.metadata.step_id} ${fact.event.step.uses}`;
    case 'FunctionAnswered':
      return `answer ${fact.event.metadata.step_id}: ${fact.event.steps.length} steps`;
    case 'TestsAsked':
      return `judge ${fact.event.metadata.step_id}: ${fact.event.attachments.map((each) => each.length).join(' ')}`;
    case 'TestsJudged':
      return `judged ${fact.event.metadata.step_id}: ${fact.event.verdict}`;
    case 'JobsAsked':
      return `generate ${name}: ${fact.event.generator}`;
    case 'JobsGiven':
      return `expand ${name}: ${Object.keys(fact.event.jobs).join(' ')}`;
    case 'RunFailed':
      return `error ${fact.event.details.error}`;
    case 'Held':
      return `waits ${fact.job ?? 'workflow'}: ${fact.reason.reason}`;
    case 'JobEnded':
      return `ended ${fact.job}: ${fact.result}`;
    case 'Superseded':
      return `superseded by ${fact.by.by}`;
    case 'Halted':
      return `halted ${fact.bundle}${fact.spared === null ? '' : ` but ${fact.spared}`}`;
    case 'Granted':
      return `granted ${fact.job === '' ? 'workflow' : fact.job}`;
    case 'JobOverdue':
      return 'overtime';
    case 'StepOverdue':
      return `overtime ${fact.event.metadata.step_id}`;
    case 'StepEnded':
      return `step ${fact.event.metadata.step_id}: ${shortOutcome(fact)}`;
    case 'DownloadBegun':
    case 'StepPrinted':
    case 'WorkerChanged':
    case 'ReportRead':
    case 'Noted':
      return `note ${name}`;
    case 'FilesPublished':
      return `report ${name}`;
    case 'CancellationAsked':
      return `cancel ${fact.event.details?.reason ?? ''}`.trim();
    case 'RunSucceeded':
      return 'completed';
    case 'RunEnded':
      return `canceled ${JSON.stringify(fact.event.details)}`;
  }
}

const shortOutcome = ({ outcome, conclusion }: FactOf<'StepEnded'>): string =>
  outcome === conclusion ? outcome : `${outcome}, forgiven`;
