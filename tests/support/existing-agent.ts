/**
 * An existing agent, driven by the test one request at a time (wire facts part 4). It registers, polls, runs and reports only on
 * the test's call.
 */
import { type Answer, type Api, bodyOf, detailsOf, type Loose } from './api.ts';
import { eventually } from './eventually.ts';

export interface ExistingRegistration {
  readonly metadata?: Loose;
  readonly spec?: Loose;
}

export interface ExistingAgent {
  readonly id: string;
  readonly registered: Answer;
  /** Sends one poll. */
  poll(): Promise<Answer>;
  /** Asks until there is work, as an agent that sleeps between two empty answers would; answers the command. */
  work(): Promise<Loose>;
  post(body: unknown): Promise<Answer>;
  getFile(fileId: unknown): Promise<Answer>;
  sendFile(fileId: unknown, content: Uint8Array | string, request?: SendFile): Promise<Answer>;
}

interface SendFile {
  readonly method?: 'POST' | 'PUT';
  readonly headers?: Readonly<Record<string, string>>;
}

/** The registration of the oldest agents: no namespaces, no version. */
export async function registerExisting(
  api: Api,
  tags: readonly string[],
  { metadata = {}, spec = {} }: ExistingRegistration = {},
): Promise<ExistingAgent> {
  const registered = await api.call('POST', '/agents', {
    body: {
      apiVersion: 'opentestfactory.org/v1alpha1',
      kind: 'AgentRegistration',
      metadata: { name: 'test agent', ...metadata },
      spec: { tags, encoding: 'utf-8', script_path: '/tmp', ...spec },
    },
  });
  const { uuid } = detailsOf(registered);
  if (typeof uuid !== 'string') throw new Error(`Not registered: ${registered.text}`);
  const path = `/agents/${uuid}`;
  const poll = () => api.call('GET', path);
  return {
    id: uuid,
    registered,
    poll,
    work: () =>
      eventually('a command for the agent', async () => {
        const answer = await poll();
        return answer.code === 204 ? null : detailsOf(answer);
      }),
    post: (body) => api.call('POST', path, { body }),
    getFile: (fileId) => api.call('GET', `${path}/files/${fileId}`),
    sendFile: (fileId, content, { method = 'POST', headers = {} } = {}) =>
      api.call(method, `${path}/files/${fileId}`, { body: content, headers }),
  };
}

/** The listed entry of an agent; null if it is not listed. */
export async function listed(api: Api, agentId: string): Promise<Loose | null> {
  const { items } = bodyOf(await api.call('GET', '/agents'));
  if (!Array.isArray(items)) throw new Error('The listing has no items.');
  const found: unknown = items.find((item) => item.metadata.agent_id === agentId);
  return found === undefined ? null : (found as Loose);
}

export async function phaseOf(api: Api, agentId: string): Promise<unknown> {
  const { status } = (await listed(api, agentId)) ?? {};
  return typeof status === 'object' && status !== null && 'phase' in status ? status.phase : null;
}
