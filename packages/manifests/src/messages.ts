/** The message texts that are part of the interface, each written once (specification parts 4 and 7). */
import { OrchestratorError } from './status.ts';

const quoted = (names: readonly string[]): string => names.map((name) => `"${name}"`).join(', ');

export const messages = {
  /** Plural also for one worker: the specification has no other form. */
  activeWorkers: (count: number) => `${count} active workers on workflow`,
  agentsRefreshed: () => 'Agents status refreshed.',
  agentDeregistered: (id: string) => `Agent ${id} de-registered.`,
  agentDraining: (id: string) => `Agent ${id} takes no further job.`,
  agentQueue: (id: string) => `Work of agent ${id}, and what waits for it`,
  agentTakesJobs: (id: string) => `Agent ${id} takes jobs.`,
  agentNotKnown: (id: string) => `Agent ${id} not known.`,
  agentRegistered: (name: string, id: string, tags: readonly string[]) =>
    `Agent '${name}' successfully registered (id=${id}, tags=${tags.join(',')}).`,
  agentInvalid: () => 'Not a valid AgentRegistration manifest.',
  pollsInvalid: () => 'Not a valid request for the work of several agents.',
  bodyNotJson: (why: string) => `Not a valid JSON document: ${why}`,
  /** The specification fixes the beginning for refused bodies. The message makes no claim about JSON itself. */
  bodyNotTaken: (why: string) => `Not a valid JSON document for this server: ${why}`,
  deliveryReturned: (header: string) =>
    `This is a delivery of an event bus, as it has the header ${header}: a server takes none, as it would go round for ever. Clients send no such header.`,
  /** It ends with advice for the commonest mistake: curl sends the other type by default. */
  documentTypeUnknown: (what: string, contentType: string) =>
    `${what} has the content type application/json, application/x-yaml or multipart/form-data, not ${contentType}. ` +
    `With curl: -H 'Content-Type: application/x-yaml' --data-binary @FILE`,
  filesExpectMultipart: () => 'Expecting files, must use multipart/form-data.',
  filesMissing: (names: readonly string[]) =>
    `Not all expected files were attached: ${[...names].sort().join(', ')}.`,
  fileGone: (file: string, id: string) =>
    `The file "${file}" of workflow ${id} is no longer there, so that it cannot run again. Start it anew with its files.`,
  filesCopied: () =>
    'A backup or a check of the data is being made, and files of workflows stay until it is done. Try again later.',
  handlerIsOurs: (id: string) =>
    `Channel handler ${id} is a part of this server, and only the server reports its channels.`,
  insightMissing: () => 'Missing insight name pattern.',
  insightsExpected: (count: number) => `${count} expected insights`,
  testedTextTooLong: (name: string, max: number) =>
    `Parameter "${name}" is too long: at most ${max} characters.`,
  jobsMissing: () => 'Parameter "jobs" names no job. Write the names of jobs, separated by commas.',
  /** `meant` is empty, or adds the likely correction. */
  jobsUnknown: (names: readonly string[], meant: string, known: readonly string[], more: number) =>
    `The workflow has no ${names.length === 1 ? 'job' : 'jobs'} ${quoted(names)}${meant || '.'} ` +
    `It has ${quoted(known)}${more === 0 ? '' : ` and ${more} more`}.`,
  modeMissing: () => 'Missing quality gate mode.',
  pong: () => 'Pong!',
  publicationReceived: () => 'Publication received.',
  publicationsAreStreamed: () =>
    'Publications are sent as they pass, to those who accept text/event-stream.',
  publicationUnmatched: () => 'Publication received, but no matching subscription.',
  qualityGateNotFound: (mode: string) => `Quality gate ${mode} not found in definition file.`,
  /** `place` is empty if it is unknown; `problem` and `what` are sentences. */
  reportBroken: (file: string, place: string, problem: string, what: string) =>
    `Report "${file}"${place === '' ? '' : ` of ${place}`}: ${problem} ${what} ` +
    'Look into the log of the step, correct what writes the report, and run it again.',
  reportCut: (testCases: number) => {
    if (testCases === 0) return 'None of its test cases were read.';
    return testCases === 1
      ? '1 test case was read, those after it are missing.'
      : `${testCases} test cases were read, those after them are missing.`;
  },
  reportDoubtful: (testCases: number) =>
    testCases === 1
      ? '1 test case was read, others may be missing.'
      : `${testCases} test cases were read, others may be missing.`,
  /** The next three give the reason why test cases may be missing from a complete report. */
  reportWhileReading: (reports: number) =>
    reports === 1
      ? 'This was made while a test report was still being read: test cases are missing. Make it again when all are read.'
      : `This was made while ${reports} test reports were still being read: test cases are missing. Make it again when all are read.`,
  reportWhileRunning: () =>
    'This was made while the workflow was running: test cases may be missing. Make it again when the workflow is over.',
  reportWhileWorking: (workers: number) =>
    `This was made while ${workers === 1 ? '1 worker was' : `${workers} workers were`} still active on the workflow: test cases may be missing. Make it again later.`,
  reportsMissing: (file: string, count: number, place: string, problem: string) =>
    `Report "${file}" and ${count - 1} more${place === '' ? '' : ` of ${place}`}: ${problem} ` +
    'None of their test cases were read. ' +
    'Look into the log of the step, correct what writes the reports, and run it again.',
  reportsBrokenMore: (count: number) =>
    count === 1
      ? 'And 1 more report of which test cases may be missing.'
      : `And ${count} more reports of which test cases may be missing.`,
  rerunOfWhat: () =>
    'Parameters "failed" and "jobs" exclude each other: the first runs what failed or did not run, the second the jobs that it names.',
  resourceWithoutVerb: () => 'resource and verb must be both provided or not provided at all.',
  /** Only for a start that the end of the server interrupts before anything of the run is stored. */
  serverEnds: () => 'The server ends.',
  subscriptionCanceled: (id: string) => `Subscription ${id} canceled.`,
  subscriptionInvalid: () => 'Not a valid Subscription manifest.',
  /** Existing clients cancel all listed subscriptions, and stop at the first refusal. */
  subscriptionKept: (id: string, service: string) =>
    `Subscription ${id} belongs to the built-in service ${service} and is kept.`,
  subscriptionNotKnown: (id: string) => `Subscription ${id} not known.`,
  subscriptionRegistered: (name: string, id: string) =>
    `Subscription '${name}' successfully registered (id=${id}).`,
  /** `more` jobs are not named. */
  takenResultsLost: (jobs: readonly string[], more: number, id: string) =>
    `The test results of ${jobs.length + more === 1 ? 'the job' : 'the jobs'} ${quoted(jobs)}${more > 0 ? ` and ${more} more` : ''} are no longer there, ` +
    `because workflow ${id}, from which they were taken over, has left. The gate is not passed. Run the workflow again as a whole.`,
  testResultsIncomplete: () => 'The test results of the workflow are not complete yet.',
  workflowAccepted: (name: string, id: string) => `Workflow ${name} accepted (workflow_id=${id}).`,
  workflowCanceled: (id: string) => `Workflow ${id} canceled.`,
  workflowForgotten: (id: string) => `Workflow ${id} is forgotten.`,
  workflowGoesOn: (id: string) =>
    `Workflow ${id} goes on. Wait for its end, or cancel it; then try again.`,
  workflowNotFailed: (id: string) =>
    `Nothing of workflow ${id} failed or did not run. To run it again as a whole, leave "failed" out.`,
  workflowWorkedOn: (id: string, workers: number) =>
    `Workflow ${id} is over, and ${workers === 1 ? '1 worker is' : `${workers} workers are`} still active on it. Try again in a moment.`,
  workflowNotFound: (id: string) => `Workflow ${id} not found.`,
} as const;

export const workflowNotFound = (id: string): OrchestratorError =>
  new OrchestratorError('NotFound', messages.workflowNotFound(id));
export const agentNotKnown = (id: string): OrchestratorError =>
  new OrchestratorError('NotFound', messages.agentNotKnown(id));
export const subscriptionNotKnown = (id: string): OrchestratorError =>
  new OrchestratorError('NotFound', messages.subscriptionNotKnown(id));
