/** The fields of the questions that begin and end a quarantine. */
import { cleanLine } from '@tutti/run-view/text';
import { useId } from 'react';
import type { OneTest } from '../../data/tests.ts';
import field from '../../parts/field.module.css';
import { Field } from '../../parts/field.tsx';
import { Moment } from '../../parts/times.tsx';
import { type Draft, endOf, problemsOf } from './quarantine-draft.ts';
import styles from './tests.module.css';

interface FieldsProps {
  readonly test: OneTest;
  readonly draft: Draft;
  readonly onChange: (draft: Draft) => void;
}

export function QuarantineFields({ test, draft, onChange }: FieldsProps) {
  const problems = problemsOf(draft);
  const change = (part: Partial<Draft>) => onChange({ ...draft, ...part });
  const until = endOf(draft, Date.now());
  const isReplaced = test.quarantines.some(({ variant_id: id }) => (id ?? '') === draft.variant);
  return (
    <>
      <Field
        label="Reason (needed)"
        value={draft.reason}
        onChange={(reason) => change({ reason })}
        problem={problems.reason}
        autoFocus
      />
      <Field
        label="Days until it ends"
        value={draft.days}
        onChange={(days) => change({ days })}
        problem={problems.days}
        hint={until === null ? 'Left empty, the server decides: mostly 14.' : undefined}
      />
      {until !== null && (
        <p>
          It ends <Moment at={until} />.
        </p>
      )}
      <Field
        label="Link to where somebody works on it"
        value={draft.link}
        onChange={(link) => change({ link: link.trim() })}
        problem={problems.link}
        placeholder="https://"
      />
      {test.spec.variants.length > 1 && (
        <Variant
          test={test}
          value={draft.variant}
          onChange={(variant) => change({ variant, isForced: false })}
        />
      )}
      {stateOf(test, draft.variant) === 'broken' && (
        <label className={styles.check}>
          <input
            type="checkbox"
            checked={draft.isForced}
            onChange={({ target }) => change({ isForced: target.checked })}
          />
          Although it is broken: its failures count until somebody repairs it
        </label>
      )}
      {isReplaced && <p>This replaces the quarantine that it has.</p>}
    </>
  );
}

/** The whole test has the worst state of its variants. */
const stateOf = ({ status }: OneTest, variant: string) =>
  (status.variants.find(({ id }) => id === variant) ?? status).state;

interface VariantProps {
  readonly test: OneTest;
  readonly value: string;
  readonly onChange: (variant: string) => void;
}

function Variant({ test, value, onChange }: VariantProps) {
  const id = useId();
  return (
    <div className={field.field}>
      <label htmlFor={id}>Jobs</label>
      <select
        id={id}
        value={value}
        className={styles.select}
        onChange={({ target }) => onChange(target.value)}
      >
        <option value="">All jobs</option>
        {test.spec.variants.map((variant) => (
          <option key={variant.id} value={variant.id}>
            Job {cleanLine(variant.job)}
          </option>
        ))}
      </select>
    </div>
  );
}

interface ReleaseProps {
  readonly value: string;
  readonly onChange: (reason: string) => void;
}

export const ReleaseField = ({ value, onChange }: ReleaseProps) => (
  <Field label="Reason, for the journal" value={value} onChange={onChange} autoFocus />
);
