/** The JUnit XML that a server makes of a run. */
import { type Api, itemsOf } from './api.ts';
import { eventually } from './eventually.ts';

/** The XML report of a run without reports. */
export async function xmlReportOf(api: Api, id: string): Promise<string> {
  await api.call('POST', `/workflows/${id}/insights`, {
    query: 'insight=xml',
    body: { insights: [{ name: 'xml', kind: 'SurefireXmlReport' }] },
  });
  const uuid = await eventually('the report', async () => {
    const query = 'fieldSelector=kind==WorkflowResult';
    const answer = await api.call('GET', `/workflows/${id}/status`, { query });
    const [result] = itemsOf(answer) as { metadata: { attachments: object } }[];
    const [found] = Object.values(result?.metadata.attachments ?? {}) as { uuid: string }[];
    return found?.uuid ?? null;
  });
  return (await api.call('GET', `/workflows/${id}/files/${uuid}`)).text;
}
