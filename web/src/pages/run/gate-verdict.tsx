/** Verdicts of quality gates. */
import { queryOptions, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ask, runPath } from '../../data/api.ts';
import { allows, useSession } from '../../data/session.ts';
import { Mark, type MarkState } from '../../parts/mark.tsx';
import { Empty, Placeholder, Problem } from '../../parts/states.tsx';
import styles from './gates.module.css';
import { Part } from './part.tsx';
import { useRun } from './run-context.ts';

interface Rule {
  readonly result: 'SUCCESS' | 'NOTEST' | 'FAILURE' | 'INVALID_SCOPE';
  readonly scope: string;
  readonly success_ratio: string;
  readonly threshold: string;
  readonly tests_in_scope: number;
  readonly tests_passed: number;
  readonly tests_failed: number;
  readonly message?: string;
}

interface Verdict {
  /** Absent while test results are still read. */
  readonly status?: 'SUCCESS' | 'NOTEST' | 'FAILURE' | 'RUNNING';
  readonly rules?: Readonly<Record<string, Rule>>;
  readonly warnings?: readonly string[];
}

const LOOK_INTERVAL_MS = 3_000;

export const verdictQuery = (runId: string, mode: string) =>
  queryOptions({
    queryKey: ['gate', runId, mode],
    queryFn: ({ signal }) =>
      ask<Verdict>({
        path: runPath(runId, '/qualitygate'),
        query: { mode, timeout: '0' },
        signal,
      }),
    refetchInterval: ({ state: { data } }) =>
      data !== undefined && (data.status === undefined || data.status === 'RUNNING')
        ? LOOK_INTERVAL_MS
        : false,
  });

const WORDS: Readonly<Record<string, readonly [MarkState, string]>> = {
  SUCCESS: ['success', 'passed'],
  FAILURE: ['failure', 'failed'],
  NOTEST: ['skipped', 'no tests'],
  INVALID_SCOPE: ['error', 'its scope is wrong'],
  RUNNING: ['running', 'the run goes on'],
};

export function VerdictMark({ status }: { readonly status: string | undefined }) {
  const [state, word] = WORDS[status ?? ''] ?? (['waiting', 'results are still read'] as const);
  return <Mark state={state} word={word} />;
}

/** The verdict of the gate that is asked without a choice, in one line. */
export function GateVerdict() {
  const { runId, doc } = useRun();
  const session = useSession();
  const isAllowed = allows(session, ['get', 'qualitygates'], doc.run.namespace);
  const { data } = useQuery({ ...verdictQuery(runId, 'strict'), enabled: isAllowed });
  if (!isAllowed || data === undefined) return null;
  const rules = Object.values(data.rules ?? {});
  const bad = rules.filter(({ result }) => result === 'FAILURE').length;
  return (
    <Part title="Quality gate">
      <p className={styles.line}>
        <VerdictMark status={data.status} />
        <span>
          <Link to="/runs/$runId/gates" params={{ runId }}>
            strict
          </Link>
          {rules.length > 0 && `: ${rules.length - bad} of ${rules.length} rules passed`}
        </span>
      </p>
    </Part>
  );
}

/** One gate, rule by rule. */
export function GateRules({ mode }: { readonly mode: string }) {
  const { runId } = useRun();
  const { data, error, refetch } = useQuery(verdictQuery(runId, mode));
  if (error !== null) return <Problem error={error} onAgain={() => void refetch()} />;
  if (data === undefined) return <Placeholder />;
  const rules = Object.entries(data.rules ?? {});
  return (
    <>
      <p className={styles.line}>
        <VerdictMark status={data.status} />
      </p>
      {data.status === 'RUNNING' && <Empty>Its rules are judged once the run has ended.</Empty>}
      {(data.warnings ?? []).map((warning) => (
        <p key={warning} className={styles.warning}>
          {warning}
        </p>
      ))}
      <ul className={styles.rules}>
        {rules.map(([name, rule]) => (
          <li key={name}>
            <h2>
              <bdi>{name}</bdi>
            </h2>
            <VerdictMark status={rule.result} />
            <p>
              {rule.message ??
                `${rule.success_ratio} of ${rule.tests_in_scope} tests passed, and ${rule.threshold} must. ${rule.tests_failed} failed.`}
            </p>
            <p className={styles.scope}>
              Scope:{' '}
              <code>
                <bdi>{rule.scope}</bdi>
              </code>
            </p>
          </li>
        ))}
      </ul>
    </>
  );
}
