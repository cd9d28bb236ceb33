/** Keys that act on the page: never while somebody types, and only if they are not switched off. */
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';

const OFF = 'tutti-keys-off';
/** The second key of a pair comes within this time. */
const PAIR_MS = 1_500;

/** Whether keys act. */
export const areKeysOn = (): boolean => localStorage.getItem(OFF) === null;

/** Switches keys on or off in this browser. */
export function switchKeys(isOn: boolean): void {
  if (isOn) localStorage.removeItem(OFF);
  else localStorage.setItem(OFF, '1');
}

/** Pages by the key that follows `g`. */
export const PLACE_KEYS = {
  n: { to: '/', name: 'Now' },
  r: { to: '/runs', name: 'Runs' },
  q: { to: '/queue', name: 'Queue' },
  e: { to: '/environments', name: 'Environments' },
  w: { to: '/workflows', name: 'Workflows' },
} as const;

interface KeyActs {
  readonly onHelp: () => void;
  readonly onPalette: () => void;
}

/** Listens for the keys of every page. */
export function usePageKeys({ onHelp, onPalette }: KeyActs): void {
  const navigate = useNavigate();
  const begun = useRef(0);
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (isPalette(event)) {
        event.preventDefault();
        onPalette();
        return;
      }
      if (!isKeyForPage(event)) return;
      const isSecond = event.timeStamp - begun.current < PAIR_MS;
      begun.current = event.key === 'g' ? event.timeStamp : 0;
      const place = isSecond ? placeOf(event.key) : null;
      if (place !== null) void navigate({ to: place });
      else if (event.key === '?') onHelp();
      else if (event.key === '/') focusFilter(event);
    };
    document.addEventListener('keydown', listen);
    return () => document.removeEventListener('keydown', listen);
  }, [navigate, onHelp, onPalette]);
}

const isPalette = ({ key, ctrlKey, metaKey }: KeyboardEvent): boolean =>
  (ctrlKey || metaKey) && key.toLowerCase() === 'k';

/** True for a key that is meant for the page: nobody types a text, and no dialog is open. */
export function isKeyForPage({ target, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  if (ctrlKey || metaKey || altKey || !areKeysOn()) return false;
  return !(
    target instanceof Element &&
    target.closest(
      'input:not([type=checkbox], [type=radio]), textarea, select, [role=dialog], [role=alertdialog]',
    )
  );
}

function placeOf(key: string) {
  return Object.hasOwn(PLACE_KEYS, key) ? PLACE_KEYS[key as keyof typeof PLACE_KEYS].to : null;
}

function focusFilter(event: KeyboardEvent): void {
  const filter = document.querySelector<HTMLElement>('[data-filter]');
  if (filter === null) return;
  event.preventDefault();
  filter.focus();
}
