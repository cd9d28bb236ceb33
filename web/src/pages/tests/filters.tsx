/** Conditions on a list of tests, as they are in the address. */
import { TEST_STATES, type TestSearch } from '../../data/tests.ts';
import { Choice, SearchField } from '../../parts/choices.tsx';
import { CopyCommand } from '../../parts/copy-command.tsx';
import { TestMark } from '../../parts/test-mark.tsx';
import { testsCommand } from './command.ts';
import { PlaceChips } from './place-chips.tsx';
import styles from './tests.module.css';

interface FiltersProps {
  readonly search: TestSearch;
  readonly onChange: (search: TestSearch) => void;
}

export function Filters({ search, onChange }: FiltersProps) {
  const chosen = (search.state ?? '').split(',').filter((state) => state !== '');
  const toggle = (state: string) => {
    const next = chosen.includes(state)
      ? chosen.filter((each) => each !== state)
      : TEST_STATES.filter((each) => each === state || chosen.includes(each));
    onChange({ ...search, state: next.join(',') });
  };
  return (
    <search className={styles.filters}>
      <SearchField
        label="Part of a test or its suite"
        value={search.q ?? ''}
        onSearch={(q) => onChange({ ...search, q })}
      />
      <Choice isChosen={chosen.length === 0} onChoose={() => onChange({ ...search, state: '' })}>
        All
      </Choice>
      {TEST_STATES.map((state) => (
        <Choice key={state} isChosen={chosen.includes(state)} onChoose={() => toggle(state)}>
          <TestMark state={state} />
        </Choice>
      ))}
      <PlaceChips search={search} onRemove={(key) => onChange({ ...search, [key]: '' })} />
      <CopyCommand command={testsCommand(search)} />
    </search>
  );
}
