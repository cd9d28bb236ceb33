/** The check of what somebody types. */
import { useEffect, useState } from 'react';
import type { Checked } from './check-protocol.ts';
import { checkWorkflow } from './checker.ts';

/** Typing goes on meanwhile. */
const PAUSE_MS = 120;

/** Null until the first check, and for an empty text. */
export function useCheck({
  text,
  inputs,
  namespace,
}: Parameters<typeof checkWorkflow>[0]): Checked | null {
  const [checked, setChecked] = useState<Checked | null>(null);
  useEffect(() => {
    if (text.trim() === '') {
      setChecked(null);
      return;
    }
    let isCurrent = true;
    const timer = setTimeout(async () => {
      const answer = await checkWorkflow({ text, inputs, namespace });
      if (isCurrent) setChecked(answer);
    }, PAUSE_MS);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [text, inputs, namespace]);
  return checked;
}
