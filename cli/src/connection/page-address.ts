/** Addresses of the page of a server. */
import type { Client } from '@tutti/client';
import { isOrchestratorError } from '@tutti/manifests';

/**
 * An address that signs in once, within 60 seconds, and shows a run if one is named. Where nobody has to sign in, it is that of the page.
 * The code is behind a number sign, so that no server and no proxy logs it.
 */
export async function pageAddress(client: Client, workflowId: string | null): Promise<string> {
  const place = workflowId === null ? '/' : `/runs/${workflowId}`;
  const code = await codeOf(client);
  if (code === null) return `${client.baseUrl}/ui${place}`;
  const to = workflowId === null ? '' : `?to=${place}`;
  return `${client.baseUrl}/ui/login${to}#code=${code}`;
}

/** Null from a server that takes requests without a token, of a command that has none. */
async function codeOf(client: Client): Promise<string | null> {
  try {
    const { details } = await client.ask({ method: 'POST', path: '/ui/codes' });
    // The answer has a code, or is a refusal.
    return (details as { readonly code: string }).code;
  } catch (error) {
    if (!isOrchestratorError(error) || error.reason !== 'Unauthorized') throw error;
    await client.ask({ path: '/ui/session' });
    return null;
  }
}
