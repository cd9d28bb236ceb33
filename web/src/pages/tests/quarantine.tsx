/** The quarantine of a test: who began it, why, until when, and how it begins and ends. */
import { cleanLine } from '@tutti/run-view/text';
import { Shield, ShieldOff } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useRenewal } from '../../data/actions.ts';
import { quarantineTest, releaseTest } from '../../data/quarantine.ts';
import { allows, useSession } from '../../data/session.ts';
import { jobOf, type OneTest, type Quarantine } from '../../data/tests.ts';
import { Band, EmptyBand } from '../../parts/band.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { lazyPart } from '../../parts/lazy-part.ts';
import { Ago, Moment } from '../../parts/times.tsx';
import { type Draft, EMPTY_DRAFT, isComplete, wantedBy } from './quarantine-draft.ts';
import styles from './tests.module.css';

/** Few readers begin or end one, so the fields come with the question. */
const load = () => import('./quarantine-fields.tsx');
const QuarantineFields = lazyPart(load, 'QuarantineFields');
const ReleaseField = lazyPart(load, 'ReleaseField');

interface TestProps {
  readonly test: OneTest;
}

/** The action that begins a quarantine. */
export function Quarantining({ test }: TestProps) {
  const session = useSession();
  const renew = useRenewal();
  const [draft, setDraft] = useState<Draft>(EMPTY_DRAFT);
  const { id, namespace } = test.metadata;
  if (!allows(session, ['create', 'tests'], namespace)) return null;
  const act = async () => {
    await quarantineTest(id, wantedBy(draft, Date.now()));
    setDraft(EMPTY_DRAFT);
    await renew();
  };
  return (
    <Confirm
      label={
        <>
          <Shield aria-hidden size={16} />
          Quarantine…
        </>
      }
      title={`Put “${cleanLine(test.spec.testCaseName)}” in quarantine?`}
      act="Put in quarantine"
      hasFields
      isReady={isComplete(draft)}
      onAct={act}
    >
      <p>
        It goes on to run, and its failures do not count for gates and judged steps. Other steps
        still fail.
      </p>
      <QuarantineFields test={test} draft={draft} onChange={setDraft} />
    </Confirm>
  );
}

export function Quarantines({ test }: TestProps) {
  if (test.quarantines.length === 0)
    return <EmptyBand title="Quarantine">None. Its failures count.</EmptyBand>;
  return test.quarantines.map((each) => (
    <OneQuarantine key={each.variant_id} test={test} quarantine={each} />
  ));
}

interface QuarantineProps extends TestProps {
  readonly quarantine: Quarantine;
}

function OneQuarantine({ test, quarantine }: QuarantineProps) {
  const { variant_id: variant, by, reason, link, from, until, isSpared } = quarantine;
  return (
    <Band
      title={
        variant === null ? 'Quarantine' : `Quarantine of job ${cleanLine(jobOf(test, variant))}`
      }
      more={<Releasing test={test} quarantine={quarantine} />}
    >
      <p className={styles.text}>
        {isSpared
          ? 'It runs, and its failures do not count.'
          : 'It is broken, so its failures count until somebody repairs it.'}
      </p>
      <dl className={styles.evidence}>
        <Fact title="Reason">
          <bdi>{cleanLine(reason)}</bdi>
        </Fact>
        {link !== null && (
          <Fact title="Link">
            <SafeLink url={link} />
          </Fact>
        )}
        <Fact title="Begun">
          by <bdi>{cleanLine(by)}</bdi>, <Ago at={from} />
        </Fact>
        <Fact title="Ends">
          <Moment at={until} />, or earlier: if somebody releases it, or if it recovers from being
          flaky
        </Fact>
      </dl>
    </Band>
  );
}

const Fact = ({ title, children }: { readonly title: string; readonly children: ReactNode }) => (
  <>
    <dt>{title}</dt>
    <dd>{children}</dd>
  </>
);

/** A link of somebody else, shown as it is. */
const SafeLink = ({ url }: { readonly url: string }) =>
  /^https?:\/\//.test(url) ? (
    <a href={url} target="_blank" rel="noopener noreferrer">
      <bdi>{cleanLine(url)}</bdi>
    </a>
  ) : (
    <bdi>{cleanLine(url)}</bdi>
  );

function Releasing({ test, quarantine: { variant_id: variant } }: QuarantineProps) {
  const session = useSession();
  const renew = useRenewal();
  const [reason, setReason] = useState('');
  const { id, namespace } = test.metadata;
  if (!allows(session, ['delete', 'tests'], namespace)) return null;
  const job = variant === null ? '' : ` of job ${cleanLine(jobOf(test, variant))}`;
  const act = async () => {
    await releaseTest(id, { reason: reason.trim() || undefined, variant: variant ?? undefined });
    await renew();
  };
  return (
    <Confirm
      label={
        <>
          <ShieldOff aria-hidden size={16} />
          Release
        </>
      }
      title={`Release “${cleanLine(test.spec.testCaseName)}”${job}?`}
      act="Release it"
      hasFields
      onAct={act}
    >
      <p>
        Its failures count again, from the next result on.
        {variant === null && test.quarantines.length > 1 && ' Quarantines of its jobs end, too.'}
      </p>
      <ReleaseField value={reason} onChange={setReason} />
    </Confirm>
  );
}
