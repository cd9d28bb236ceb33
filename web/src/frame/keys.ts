/**
 * Keys that act on the page: never while somebody types, and only if they are not switched off. A page adds its own by `useKeys`. A
 * control with `data-press` is pressed by that key; a field gets the focus.
 */
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { type Key, PLACE_KEYS } from './key-list.ts';

const OFF = 'tutti-keys-off';
/** The second key of a pair comes within this time. */
const PAIR_MS = 1_500;
const NEVER = Number.NEGATIVE_INFINITY;

/** Whether keys act. */
export const areKeysOn = (): boolean => localStorage.getItem(OFF) === null;

/** Switches keys on or off in this browser. */
export function switchKeys(isOn: boolean): void {
  if (isOn) localStorage.removeItem(OFF);
  else localStorage.setItem(OFF, '1');
}

type Acts = Readonly<Partial<Record<Key, () => void>>>;

/** The acts of each shown part that has some. */
const shown = new Set<{ readonly current: Acts }>();

/** Acts on keys as long as the part is shown. */
export function useKeys(acts: Acts): void {
  const latest = useRef(acts);
  latest.current = acts;
  useEffect(() => {
    shown.add(latest);
    return () => void shown.delete(latest);
  }, []);
}

/** Listens for the keys of all pages. Only the frame does so. */
export function usePageKeys(acts: Acts, onPalette: () => void): void {
  const navigate = useNavigate();
  // Timestamps begin with the document: zero would count as a `g` right before the first keys of a page.
  const begun = useRef(NEVER);
  useKeys({ j: () => moveRow(1), k: () => moveRow(-1), ...acts });
  useEffect(() => {
    const actOf = (event: KeyboardEvent): (() => void) | undefined => {
      if (isPalette(event)) return onPalette;
      if (event.defaultPrevented || !isKeyForPage(event)) return undefined;
      const isSecond = event.timeStamp - begun.current < PAIR_MS;
      begun.current = event.key === 'g' ? event.timeStamp : NEVER;
      const place = isSecond ? placeOf(event.key) : null;
      if (place !== null) return () => void navigate({ to: place });
      return ownAct(event.key) ?? pressOf(event.key);
    };
    const listen = (event: KeyboardEvent) => {
      const act = actOf(event);
      if (act === undefined) return;
      event.preventDefault();
      act();
    };
    document.addEventListener('keydown', listen);
    return () => document.removeEventListener('keydown', listen);
  }, [navigate, onPalette]);
}

const isPalette = ({ key, ctrlKey, metaKey }: KeyboardEvent): boolean =>
  (ctrlKey || metaKey) && key.toLowerCase() === 'k';

const FIELDS = 'input:not([type=checkbox], [type=radio], [type=range]), textarea, select';

/** True for a key that is meant for the page: nobody types a text, and no dialog is open. */
function isKeyForPage(event: KeyboardEvent): boolean {
  const { target, ctrlKey, metaKey, altKey } = event;
  // Some keyboards have the brackets behind this key, which counts as Ctrl and Alt.
  const isPlain = event.getModifierState('AltGraph') || !(ctrlKey || metaKey || altKey);
  if (!isPlain || !(areKeysOn() || event.key === 'Escape')) return false;
  return !(
    target instanceof Element && target.closest(`${FIELDS}, [role=dialog], [role=alertdialog]`)
  );
}

function placeOf(key: string) {
  return Object.hasOwn(PLACE_KEYS, key) ? PLACE_KEYS[key as keyof typeof PLACE_KEYS].to : null;
}

function ownAct(key: string): (() => void) | undefined {
  const own = [...shown].find(({ current }) => Object.hasOwn(current, key));
  return own?.current[key as Key];
}

function pressOf(key: string): (() => void) | undefined {
  const control = document.querySelector<HTMLElement>(`[data-press="${CSS.escape(key)}"]`);
  if (control === null) return undefined;
  return () => {
    if (control.matches(FIELDS)) control.focus();
    else press(control);
  };
}

/** The row that a panel is about, in the list beside it. */
const CHOSEN = `main [role=group][tabindex="0"], main li[data-chosen] a`;

/** The focus does not go away with a panel that is closed. */
function press(control: HTMLElement): void {
  const panel = control.closest('aside');
  if (panel?.contains(document.activeElement)) {
    document.querySelector<HTMLElement>(`${STOPS}, ${CHOSEN}`)?.focus();
  }
  control.click();
}

/** Tables have one row with a stop for the tab key. */
const STOPS = 'main [role=row][tabindex="0"], main [role=treegrid] [tabindex="0"]';

/** Moves the focus to the next or the previous row of the page. In lists, the first link of a row has it. Tables move within themselves. */
function moveRow(step: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>(`${STOPS}, main li`)].flatMap((row) => {
    const stop = row.matches('li') ? row.querySelector<HTMLElement>('a, button') : row;
    return stop === null || !stop.checkVisibility() ? [] : [stop];
  });
  const here = document.activeElement?.closest('li, [role=row]');
  const at = rows.findIndex((row) => row === here || (here?.contains(row) ?? false));
  const next = at < 0 ? (step > 0 ? 0 : rows.length - 1) : at + step;
  rows[Math.max(0, Math.min(next, rows.length - 1))]?.focus();
}
