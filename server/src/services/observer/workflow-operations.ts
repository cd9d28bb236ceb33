/** Documentation of what the observer tells of runs. */
import { messages } from '@tutti/manifests';
import type { DescribedOperation } from '../../http/routes.ts';

export const LIST_MESSAGE = 'Running and recent workflows';

export const listOperation: DescribedOperation = ({ listing, listOf, mapOf, refTo, uuid, IDS }) => {
  const items = {
    description: 'Ids; with `expand=manifest` the manifests by id.',
    anyOf: [listOf(uuid), mapOf(refTo('Event'))],
  };
  return { id: 'listWorkflows', answers: listing(LIST_MESSAGE, items, [IDS.workflow]) };
};

export const orchestratorOperation: DescribedOperation = ({ listWithStatus, uuid, IDS }) => {
  const schema = listWithStatus(uuid, 'IDLE', 'BUSY');
  const example = { items: [IDS.workflow], status: 'BUSY' };
  const message = '1 workflow in progress';
  return { id: 'getOrchestratorStatus', answers: { OK: { message, schema, example } } };
};

export const workersOperation: DescribedOperation = ({ listWithStatus, text }) => {
  const schema = listWithStatus(text, 'BUSY', 'IDLE');
  const example = { items: ['interpreter-surefire'], status: 'BUSY' };
  const message = messages.activeWorkers(1);
  return { id: 'listWorkers', answers: { OK: { message, schema, example } } };
};

export const statusOperation: DescribedOperation = (words) => {
  const { listWithStatus, refTo, EVENT_STREAM, EXAMPLES, PAGE_LINKS } = words;
  const broken = 'Of a stream that broke off: the id of the last event that was read.';
  const answer = {
    message: 'Workflow nightly in progress',
    schema: listWithStatus(refTo('Event'), 'PENDING', 'RUNNING', 'DONE', 'FAILED'),
    example: { items: [EXAMPLES.workflowEvent], status: 'RUNNING' },
    headers: PAGE_LINKS,
    content: EVENT_STREAM,
  };
  return {
    id: 'getWorkflowStatus',
    headers: { 'Last-Event-ID': broken },
    answers: { OK: answer },
    failures: ['TooManyRequests'],
  };
};
