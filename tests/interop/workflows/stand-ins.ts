/** Plugins that workflow files call and that no server has: a generator of test plans, and functions of somebody. */
import type { Api, Loose } from '../../support/api.ts';
import { type Inbox, openInbox } from '../../support/inbox.ts';

const GROUP = 'opentestfactory.org';
const GENERATOR = 'tm.squashtest.org';
export const FUNCTIONS = 'acme';

/** Tests of a plan in a test management: one for each technology. */
const TESTS: Readonly<Record<string, string>> = {
  robotframework: 'shop/tests/cart.robot#Adding',
  junit: 'shop/com.example.CartTest#adds',
  cucumber5: 'shop#features/cart.feature#Cart#Adding',
};

export async function openStandIns(api: Api): Promise<Inbox> {
  const inbox = await openInbox((event) => {
    const { kind, metadata } = event;
    const body =
      kind === 'GeneratorCommand'
        ? { ...generated(event.with as Loose), kind: 'GeneratorResult', metadata }
        : { ...provided(event.step as Loose), kind: 'ProviderResult', metadata };
    void api.call('POST', '/publications', { body: { apiVersion: `${GROUP}/v1beta1`, ...body } });
  });
  await subscribe(api, inbox, 'GeneratorCommand', GENERATOR);
  await subscribe(api, inbox, 'ProviderCommand', FUNCTIONS);
  return inbox;
}

async function subscribe(api: Api, inbox: Inbox, matchKind: string, prefix: string): Promise<void> {
  const matchLabels = { [`${GROUP}/categoryPrefix`]: prefix };
  const spec = {
    selector: { matchKind, matchLabels },
    subscriber: { endpoint: inbox.endpoint },
  };
  const metadata = { name: prefix };
  await api.call('POST', '/subscriptions', {
    body: { apiVersion: `${GROUP}/v1alpha1`, kind: 'Subscription', metadata, spec },
  });
}

/** One job for each technology that has labels; without any, one of Robot Framework. */
function generated({ technologyLabels = { robotframework: undefined }, testPlanUuid }: Loose) {
  const jobs = Object.entries(technologyLabels as Loose).map(([technology, labels]) => [
    technology,
    {
      ...(labels === undefined ? {} : { 'runs-on': labels }),
      steps: [
        {
          uses: `${technology}/params@v1`,
          with: {
            format: 'tm.squashtest.org/params@v1',
            data: { global: { PLAN: String(testPlanUuid) }, test: { DSNAME: 'first' } },
          },
        },
        { uses: `${technology}/execute@v1`, with: { test: TESTS[technology] } },
      ],
    },
  ]);
  return { jobs: Object.fromEntries(jobs) };
}

const provided = ({ uses, with: inputs = {} }: Loose) => ({
  steps: [{ run: `echo "${String(uses)} got ${Object.keys(inputs as Loose).join(' ')}"` }],
});
