/** Conditions on a list of runs, as they are in the address. */
import { X } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import type { RunSearch } from '../../data/runs.ts';
import { Button } from '../../parts/button.tsx';
import { CopyCommand } from '../../parts/copy-command.tsx';
import { runsCommand } from './command.ts';
import styles from './runs.module.css';

interface FiltersProps {
  readonly search: RunSearch;
  readonly onChange: (search: RunSearch) => void;
}

const STATES = [
  ['', 'All'],
  ['RUNNING', 'Running'],
  ['FAILED', 'Failed'],
  ['DONE', 'Passed'],
  ['PENDING', 'Waiting'],
] as const;

const AGES = [
  ['', 'Any time'],
  ['24h', 'Last 24 hours'],
  ['7d', 'Last 7 days'],
  ['30d', 'Last 30 days'],
] as const;

const PAUSE_MS = 250;

export function Filters({ search, onChange }: FiltersProps) {
  const [text, setText] = useTyped(search.q ?? '', (q) => onChange(withValue(search, 'q', q)));
  return (
    <search className={styles.filters}>
      <input
        type="search"
        aria-label="Search runs"
        placeholder="Search by name or id"
        data-press="/"
        value={text}
        onChange={(event) => setText(event.target.value)}
        className={styles.search}
      />
      <fieldset className={styles.states}>
        <legend className="hidden">State</legend>
        {STATES.map(([value, name]) => (
          <label key={value}>
            <input
              type="radio"
              name="status"
              checked={(search.status ?? '') === value}
              onChange={() => onChange(withValue(search, 'status', value))}
            />
            {name}
          </label>
        ))}
      </fieldset>
      <select
        aria-label="Started"
        value={search.since ?? ''}
        onChange={(event) => onChange(withValue(search, 'since', event.target.value))}
        className={styles.select}
      >
        {AGES.map(([value, name]) => (
          <option key={value} value={value}>
            {name}
          </option>
        ))}
      </select>
      {(['name', 'label', 'namespace'] as const).map((key) => {
        const value = search[key];
        return value === undefined ? null : (
          <Button key={key} onPress={() => onChange(withValue(search, key, ''))}>
            {key}: {value}
            <X aria-label="Remove" size={14} />
          </Button>
        );
      })}
      <CopyCommand command={runsCommand(search)} />
    </search>
  );
}

function withValue(search: RunSearch, key: keyof RunSearch, value: string): RunSearch {
  const { [key]: _, ...others } = search;
  return value === '' ? others : { ...others, [key]: value };
}

/** A text that is taken once nobody has typed for a moment. */
function useTyped(taken: string, onTake: (text: string) => void) {
  const [text, setText] = useState(taken);
  const take = useRef(onTake);
  take.current = onTake;
  useEffect(() => setText(taken), [taken]);
  useEffect(() => {
    if (text === taken) return;
    const timer = setTimeout(() => take.current(text), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text, taken]);
  return [text, setText] as const;
}
