/** Choices and searches above lists. */
import { type ReactNode, useEffect, useRef, useState } from 'react';
import styles from './choices.module.css';

interface ChoiceProps {
  readonly isChosen: boolean;
  readonly onChoose: () => void;
  readonly children: ReactNode;
}

/** One of several choices. */
export const Choice = ({ isChosen, onChoose, children }: ChoiceProps) => (
  <button type="button" className={styles.choice} aria-pressed={isChosen} onClick={onChoose}>
    {children}
  </button>
);

interface SearchFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onSearch: (text: string) => void;
}

const TYPING_PAUSE_MS = 250;

/** A field that searches a moment after the last key. */
export function SearchField({ label, value, onSearch }: SearchFieldProps) {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  const latest = useRef(onSearch);
  latest.current = onSearch;
  useEffect(() => {
    if (text === value) return;
    const timer = setTimeout(() => latest.current(text), TYPING_PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text, value]);
  return (
    <input
      type="search"
      data-press="/"
      className={styles.search}
      aria-label={label}
      placeholder={label}
      value={text}
      maxLength={500}
      onChange={({ target }) => setText(target.value)}
    />
  );
}
